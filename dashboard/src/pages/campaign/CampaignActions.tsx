import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../../api/client.ts'
import { callOnce } from '../../api/call-once.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'

const PATHS = {
  pause: '/campaigns/{id}/pause',
  resume: '/campaigns/{id}/resume',
  cancel: '/campaigns/{id}/cancel',
} as const

/** Pause, resume and cancel buttons. */
export function CampaignActions({ campaign: { id, status, startedAt } }: { campaign: Campaign }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const [isAsking, { open, close }] = useDisclosure()
  const move = useMutation({
    mutationFn: (what: keyof typeof PATHS) =>
      callOnce([workspace.id, 'campaign', id, status, what], (header) =>
        api.POST(PATHS[what], { params: { path: { id }, header } }),
      ),
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad' }),
    onSettled: () => {
      close()
      void invalidate('campaigns')
    },
  })
  const isBeforeStart = startedAt === null
  if (isAsking)
    return (
      <>
        <span className="small t2">
          {isBeforeStart
            ? 'The campaign becomes a draft again.'
            : 'Remaining recipients won’t be emailed. This can’t be undone.'}
        </span>
        <Button variant="filled" color="bad" loading={move.isPending} onClick={() => move.mutate('cancel')}>
          {isBeforeStart ? 'Unschedule campaign' : 'Cancel campaign'}
        </Button>
        <Button variant="subtle" color="gray" onClick={close} disabled={move.isPending}>
          Keep campaign
        </Button>
      </>
    )
  const canCancel = status === 'SCHEDULED' || status === 'SENDING' || status === 'PAUSED'
  return (
    <>
      {canCancel && (
        <Button variant="subtle" color="gray" onClick={open} disabled={move.isPending}>
          {isBeforeStart ? 'Unschedule…' : 'Cancel…'}
        </Button>
      )}
      {status === 'SENDING' && (
        <Button loading={move.isPending} onClick={() => move.mutate('pause')}>
          Pause
        </Button>
      )}
      {status === 'PAUSED' && (
        <Button variant="filled" loading={move.isPending} onClick={() => move.mutate('resume')}>
          Resume
        </Button>
      )}
    </>
  )
}
