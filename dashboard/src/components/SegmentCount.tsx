import { useWorkspaceQuery } from '../api/workspace.tsx'
import { count } from '../lib/format.ts'

/** Milliseconds after which the contacts of a segment are counted again. */
const COUNT_MS = 5 * 60_000

/** The number of contacts in a segment. */
export function SegmentCount({ segmentId }: { segmentId: string }) {
  const { data } = useWorkspaceQuery(
    ['segments', segmentId],
    async (api, signal) => (await api.GET('/segments/{id}', { params: { path: { id: segmentId } }, signal })).data.data,
    { refetchMs: COUNT_MS, staleMs: COUNT_MS },
  )
  return <>{data ? count(data.contactCount) : '…'}</>
}
