import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'
import { plural } from '../../lib/format.ts'
import classes from './messages.module.css'

/** Resends or dismisses the selected messages, one by one. */
export function MessageBulkActions({
  ids,
  isUnconfirmed,
  onDone,
}: {
  ids: readonly string[]
  isUnconfirmed: boolean
  onDone: () => void
}) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const act = useMutation({
    mutationFn: async (what: 'again' | 'dismiss') => {
      let failure: unknown
      let done = 0
      for (const id of ids) {
        const params = { path: { id } }
        try {
          if (what === 'dismiss') await api.POST('/messages/{id}/dismiss', { params })
          else await api.POST('/messages/{id}/retry', { params, body: { evenIfSent: isUnconfirmed } })
          done += 1
        } catch (error) {
          failure = error
        }
      }
      return { what, done, failure }
    },
    async onSuccess({ what, done, failure }) {
      const outcome = what === 'dismiss' ? 'dismissed' : 'queued to be sent again'
      notifications.show({ message: `${plural(done, 'message')} ${outcome}.` })
      if (failure !== undefined)
        notifications.show({
          color: 'bad',
          autoClose: false,
          title: `${plural(ids.length - done, 'message')} failed`,
          message: errorMessage(failure),
        })
      onDone()
      await invalidate()
    },
  })
  return (
    <div className={`row ${classes.decide}`} role="group" aria-label="Bulk actions">
      <Button onClick={() => act.mutate('again')} loading={act.isPending}>
        {' '}
        Resend
      </Button>
      {isUnconfirmed && (
        <Button variant="subtle" color="gray" disabled={act.isPending} onClick={() => act.mutate('dismiss')}>
          Dismiss
        </Button>
      )}
      {ids.length === 1 && (
        <CurlButton call={{ method: 'POST', path: `/messages/${ids[0]}/retry`, body: { evenIfSent: isUnconfirmed } }} />
      )}
      {isUnconfirmed && <span className="small t2">Each message may arrive twice.</span>}
    </div>
  )
}
