import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage, hasErrorCode } from '../../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { PartBar } from '../../primitives/RateBar.tsx'
import { count, plural } from '../../lib/format.ts'
import classes from './Builder.module.css'

const REFETCH_MS = 2_000

/** Shows the progress of a publication that moves or ends the contacts inside, and its end until that is dismissed. */
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
  /** The start of the finished move that needs no notice: it had finished when the page opened, or was dismissed. */
  const [known, setKnown] = useState<string | null>()
  const finished = move?.status === 'FINISHED' ? move.startedAt : null
  if (move !== undefined && known === undefined) setKnown(finished)
  if (!move || (finished !== null && finished === known)) return null
  const { inside, version, total, remaining, status } = move
  const isFinished = status === 'FINISHED'
  const isStopped = status === 'STOPPED'
  const done = Math.max(0, total - remaining)
  const what = inside === 'MOVE' ? `Moving contacts to version ${version}` : `Ending contacts in older versions`
  const dismiss = () => {
    setKnown(finished)
    document.querySelector<HTMLElement>('[aria-label="More actions"]')?.focus()
  }
  return (
    <section
      className={`${classes.confirm} ${isFinished ? 'c-ok' : isStopped ? 'c-warn' : 'c-accent'}`}
      aria-label={isFinished ? `${what}: finished` : what}
    >
      {isFinished ? (
        <h3 role="status">Finished. No contact is left in an older version.</h3>
      ) : (
        <>
          <h3>{isStopped ? `${what}: stopped` : what}</h3>
          <p className="t2">
            <PartBar value={done} total={total} /> {count(done)} of {plural(total, 'contact')} done.
            {isStopped && ` ${plural(remaining, 'contact is', 'contacts are')} still in older versions.`}
          </p>
        </>
      )}
      {(isEditor || isFinished) && (
        <div className="row">
          {/* The same element, so that it keeps the focus when the move finishes. */}
          <Button loading={change.isPending} onClick={() => (isFinished ? dismiss() : change.mutate(isStopped))}>
            {isFinished ? 'Dismiss' : isStopped ? 'Resume' : 'Stop'}
          </Button>
        </div>
      )}
    </section>
  )
}
