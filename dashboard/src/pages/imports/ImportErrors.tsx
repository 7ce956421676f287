import { Button } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { count } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { csvLine, type Import } from './imports.ts'

const SHOWN = 20
const PAGE_SIZE = 100
/** The API stores no more errors. */
const MAX_PAGES = 100

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
      <table className="table" aria-label="Failed rows">
        <thead>
          <tr>
            <th className="num">Line</th>
            <th>Problem</th>
            <th className="wide">Row</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ line, problem, cells }) => (
            <tr key={line}>
              <td className="num">{line}</td>
              <td className="t2">{problem}</td>
              <td className="wide mono t3">{cells?.join(', ').slice(0, 60)}</td>
            </tr>
          ))}
        </tbody>
      </table>
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
