import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import { cappedCount, plural } from '../../lib/format.ts'
import classes from './keys.module.css'
import type { ApiKey } from './keys.ts'

/** Asks before a key is deleted, and states what uses it. */
export function ConfirmDelete({ apiKey, others, onDone }: { apiKey: ApiKey; others: number; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api-keys/{id}', { params: { path: { id: apiKey.id } } }),
    async onSuccess() {
      await invalidate('api-keys')
      onDone()
    },
  })
  return (
    <div className={`${classes.ask} c-bad`} role="group" aria-label={`Delete API key ${apiKey.name}`}>
      <h3>Delete API key “{apiKey.name}”?</h3>
      <p className="t2">
        {apiKey.lastUsedAt === null ? (
          'This key was never used.'
        ) : (
          <>
            It made <RecentRequests id={apiKey.id} /> in the last 24 hours, and was last used{' '}
            <Time at={apiKey.lastUsedAt} />. Its requests will fail with <span className="code">401</span>.
          </>
        )}{' '}
        {others > 0 && `${plural(others, 'other key')} will keep working. `}This can’t be undone.
      </p>
      {remove.isError && <ErrorBanner error={remove.error} scrollsIntoView />}
      <div className="row">
        <Button variant="filled" color="bad" onClick={() => remove.mutate()} loading={remove.isPending}>
          Delete key
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} data-autofocus>
          Cancel
        </Button>
      </div>
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
      {cappedCount(data.count, MAX_COUNT)} {data.count === 1 ? 'request' : 'requests'}
    </strong>
  )
}
