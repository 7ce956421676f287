import { useWorkspaceQuery } from '../../api/workspace.tsx'
import { count } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import type { Import } from './imports.ts'

const SHOWN = 100

/** Lists the rows that could not be imported, and why. */
export function ImportErrors({ of: { id, failed } }: { of: Import }) {
  const { data, error, refetch } = useWorkspaceQuery(['imports', id, 'errors', failed], async (api, signal) => {
    const params = { path: { id }, query: { limit: SHOWN } }
    return (await api.GET('/imports/{id}/errors', { params, signal })).data.data
  })
  if (error) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows rows={3} />
  return (
    <>
      <table className="table" aria-label="Failed rows">
        <thead>
          <tr>
            <th className="num">Line</th>
            <th>Problem</th>
          </tr>
        </thead>
        <tbody>
          {data.map(({ line, problem }) => (
            <tr key={line}>
              <td className="num">{line}</td>
              <td className="t2">{problem}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {failed > data.length && (
        <p className="small t3">
          Showing {count(data.length)} of {count(failed)}.
        </p>
      )}
      <p className="small t2">
        Fix these rows and import the file again. Existing contacts are updated, not duplicated.
      </p>
    </>
  )
}
