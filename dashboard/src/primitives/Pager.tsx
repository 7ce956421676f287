import { Button } from '@mantine/core'

/** Turns the pages of a list. Shows nothing for one page. */
export function Pager({ page, pages, onChange }: { page: number; pages: number; onChange: (page: number) => void }) {
  if (pages <= 1) return null
  return (
    <div className="row" style={{ justifyContent: 'flex-end' }}>
      <span className="small t2" role="status">
        Page {page} of {pages}
      </span>
      <Button disabled={page <= 1} onClick={() => onChange(page - 1)}>
        Previous
      </Button>
      <Button disabled={page >= pages} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </div>
  )
}
