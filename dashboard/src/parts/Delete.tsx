import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CurlButton } from './CurlButton.tsx'
import { Problem } from './Problem.tsx'

/** Asks once more before something is deleted, and says what becomes of its contacts. */
export function Delete({
  what,
  path,
  says,
  call,
  onDone,
}: {
  what: string
  path: string
  says: string
  call: () => Promise<unknown>
  onDone: () => void
}) {
  const remove = useMutation({ mutationFn: call })
  return (
    <div className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end', padding: '8px 0' }}>
      <span className="small t2">{says} It cannot be undone.</span>
      {remove.isError && <Problem error={remove.error} />}
      <Button
        variant="filled"
        color="bad"
        loading={remove.isPending}
        onClick={() => remove.mutate(undefined, { onSuccess: onDone })}
      >
        Delete {what}
      </Button>
      <Button variant="subtle" color="gray" onClick={onDone} disabled={remove.isPending}>
        Keep it
      </Button>
      <CurlButton call={{ method: 'DELETE', path }} />
    </div>
  )
}
