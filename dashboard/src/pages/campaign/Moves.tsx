import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { inWords } from '../../api/client.ts'
import { once } from '../../api/once.ts'
import { useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import type { Campaign } from '../campaigns/campaigns.ts'

const PATHS = {
  pause: '/campaigns/{id}/pause',
  resume: '/campaigns/{id}/resume',
  cancel: '/campaigns/{id}/cancel',
} as const

/** What can be done with one that is under way. */
export function Moves({ campaign: { id, status } }: { campaign: Campaign }) {
  const { api, workspace } = useWorkspace()
  const readAgain = useReadAgain()
  const [isAsked, setAsked] = useState(false)
  const move = useMutation({
    mutationFn: (what: keyof typeof PATHS) =>
      once([workspace.id, 'campaign', id, status, what], (header) =>
        api.POST(PATHS[what], { params: { path: { id }, header } }),
      ),
    onError: (error) => notifications.show({ message: inWords(error), color: 'bad' }),
    onSettled: () => {
      setAsked(false)
      void readAgain('campaigns')
    },
  })
  if (isAsked)
    return (
      <>
        <span className="small t2">
          {status === 'SCHEDULED' ? 'It is a draft again.' : 'Whoever was not mailed yet is not any more.'}
        </span>
        <Button variant="filled" color="bad" loading={move.isPending} onClick={() => move.mutate('cancel')}>
          {status === 'SCHEDULED' ? 'Unschedule campaign' : 'Cancel campaign'}
        </Button>
        <Button variant="subtle" color="gray" onClick={() => setAsked(false)} disabled={move.isPending}>
          Keep it
        </Button>
      </>
    )
  const canCancel = status === 'SCHEDULED' || status === 'SENDING' || status === 'PAUSED'
  return (
    <>
      {canCancel && (
        <Button variant="subtle" color="gray" onClick={() => setAsked(true)} disabled={move.isPending}>
          {status === 'SCHEDULED' ? 'Unschedule…' : 'Cancel…'}
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
