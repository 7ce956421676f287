import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { count } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import type { Schemas } from '../../api/client.ts'
import { type Column, DataTable } from '../../primitives/DataTable.tsx'
import { csvLine, type Import } from './imports.ts'

const SHOWN = 20
const PAGE_SIZE = 100
/** The API stores no more errors. */
const MAX_PAGES = 100

type FailedRow = Schemas['ImportError']

const COLUMNS: readonly Column<FailedRow>[] = [
  { id: 'line', head: 'Line', isNumber: true, phone: 'number', cell: ({ line }) => line },
  {
    id: 'problem',
    head: 'Problem',
    phone: 'title',
    wraps: true,
    cell: ({ problem }) => <span className="t2">{problem}</span>,
  },
  {
    id: 'row',
    head: 'Row',
    cell: ({ cells }) => <span className="mono t3">{cells?.join(', ').slice(0, 60)}</span>,
  },
]

/** Lists the rows that could not be imported, and why. Downloads them as a file that can be corrected and imported again. */
export function ImportErrors({ of: { id, failed, header, name } }: { of: Import }) {
  const { api } = useWorkspace()
  const { data, error, refetch } = useWorkspaceQuery(['imports', id, 'errors', failed], async (read, signal) => {
    const params = { path: { id }, query: { limit: SHOWN } }
    return (await read.GET('/imports/{id}/errors', { params, signal })).data.data
  })
  const download = useMutation({
    mutationFn: async () => {
      const lines = [csvLine([...(header ?? []), 'Dripline: line', 'Dripline: problem'])]
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const params = { path: { id }, query: { page, limit: PAGE_SIZE } }
        const { data: rows, pagination } = (await api.GET('/imports/{id}/errors', { params })).data
        for (const { line, problem, cells } of rows)
          lines.push(csvLine([...(header ?? []).map((_, at) => cells?.[at] ?? ''), String(line), problem]))
        if (page >= pagination.totalPages) break
      }
      const url = URL.createObjectURL(new Blob(['\ufeff', ...lines], { type: 'text/csv' }))
      const link = Object.assign(document.createElement('a'), { href: url, download: `failed-${name}` })
      link.click()
      URL.revokeObjectURL(url)
    },
  })
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  return (
    <>
      {download.isError && <ErrorBanner error={download.error} />}
      <DataTable<FailedRow>
        label="Failed rows"
        rows={data}
        idOf={({ line }) => String(line)}
        columns={COLUMNS}
        empty={null}
      />
      {failed > data.length && (
        <p className="small t3">
          Showing {count(data.length)} of {count(failed)}.
        </p>
      )}
      <div className="row" style={{ marginTop: 12 }}>
        <Button
          leftSection={<IconDownload aria-hidden />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          Download failed rows
        </Button>
        <span className="small t2">
          Correct the file and import it again. Existing contacts are updated, not duplicated. Rows are deleted after 7
          days.
        </span>
      </div>
    </>
  )
}
