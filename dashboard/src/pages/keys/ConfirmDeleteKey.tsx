import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { Time } from '../../components/Time.tsx'
import { cappedCount, plural } from '../../lib/format.ts'
import classes from './keys.module.css'
import type { ApiKey } from './keys.ts'

/** Asks before a key is deleted, and states what uses it. */
export function ConfirmDeleteKey({ apiKey, others, onDone }: { apiKey: ApiKey; others: number; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return (
    <div className={`${classes.ask} c-bad`}>
      <ConfirmAction
        confirmLabel="Delete key"
        description={
          <>
            <strong>Delete API key “{apiKey.name}”?</strong>{' '}
            {apiKey.lastUsedAt === null ? (
              'This key was never used.'
            ) : (
              <>
                It made <RecentRequests id={apiKey.id} /> in the last 24 hours, and was last used{' '}
                <Time at={apiKey.lastUsedAt} />. Its requests will fail with <span className="code">401</span>.
              </>
            )}{' '}
            {others > 0 && `${plural(others, 'other key')} will keep working. `}This can’t be undone.
          </>
        }
        action={async () => {
          await api.DELETE('/api-keys/{id}', { params: { path: { id: apiKey.id } } })
          await invalidate('api-keys')
        }}
        onDone={onDone}
      />
    </div>
  )
}

/** The number at which the API stops counting. */
const MAX_COUNT = 100_000

/** The number of requests in the last 24 hours. */
function RecentRequests({ id }: { id: string }) {
  const { data } = useWorkspaceQuery(
    ['request-log', 'count', id],
    async (api, signal) =>
      (await api.GET('/request-log/count', { params: { query: { keyId: id } }, signal })).data.data,
  )
  if (!data) return '…'
  return (
    <strong>
      {data.count >= MAX_COUNT ? `${cappedCount(data.count, MAX_COUNT)} requests` : plural(data.count, 'request')}
    </strong>
  )
}
