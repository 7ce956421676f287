import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { errorMessage, hasErrorCode } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { PartBar } from '../../primitives/RateBar.tsx'
import { count, plural } from '../../lib/format.ts'
import classes from './Builder.module.css'

const REFETCH_MS = 2_000

/** Shows the progress of a publication that moves or ends the contacts inside, until it has finished. */
export function MoveNotice({ automationId }: { automationId: string }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const isEditor = useHasRole('editor')
  const params = { path: { id: automationId } }
  const { data: move } = useWorkspaceQuery(
    ['automations', automationId, 'move'],
    async (client, signal) => {
      try {
        return (await client.GET('/automations/{id}/move', { params, signal })).data.data
      } catch (error) {
        if (hasErrorCode(error, 'move_not_found')) return null
        throw error
      }
    },
    { refetchMs: (found) => (found && found.status !== 'FINISHED' ? REFETCH_MS : Infinity) },
  )
  const change = useMutation({
    mutationFn: (isStopped: boolean) =>
      isStopped
        ? api.POST('/automations/{id}/move/resume', { params })
        : api.POST('/automations/{id}/move/stop', { params }),
    onError: (error) => notifications.show({ color: 'bad', message: errorMessage(error) }),
    onSettled: () => invalidate('automations', automationId),
  })
  if (!move || move.status === 'FINISHED') return null
  const { inside, version, total, remaining, status } = move
  const isStopped = status === 'STOPPED'
  const done = Math.max(0, total - remaining)
  const what = inside === 'MOVE' ? `Moving contacts to version ${version}` : `Ending contacts in older versions`
  return (
    <section className={`${classes.confirm} ${isStopped ? 'c-warn' : 'c-accent'}`} aria-label={what}>
      <h3>{isStopped ? `${what}: stopped` : what}</h3>
      <p className="t2">
        <PartBar value={done} total={total} /> {count(done)} of {plural(total, 'contact')}{' '}
        {inside === 'MOVE' ? 'moved' : 'ended'}.
        {isStopped && ` ${plural(remaining, 'contact is', 'contacts are')} still in older versions.`}
      </p>
      {isEditor && (
        <div className="row">
          <Button loading={change.isPending} onClick={() => change.mutate(isStopped)}>
            {isStopped ? 'Resume' : 'Stop'}
          </Button>
        </div>
      )}
    </section>
  )
}
