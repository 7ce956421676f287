import { useRead } from '../../api/workspace.tsx'
import { count } from '../../parts/numbers.ts'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import type { Import } from './imports.ts'

const SHOWN = 100

/** Which rows of a file could not be read, and why. */
export function ImportErrors({ of: { id, failed } }: { of: Import }) {
  const { data, error, refetch } = useRead(['imports', id, 'errors', failed], async (api, signal) => {
    const params = { path: { id }, query: { limit: SHOWN } }
    return (await api.GET('/imports/{id}/errors', { params, signal })).data.data
  })
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Rows rows={3} />
  return (
    <>
      <table className="table" aria-label="Rows that could not be read">
        <thead>
          <tr>
            <th className="num">Line</th>
            <th>Why</th>
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
          The first {count(data.length)} of {count(failed)}.
        </p>
      )}
      <p className="small t2">Mend these rows, and import them once more: no contact comes in twice.</p>
    </>
  )
}
