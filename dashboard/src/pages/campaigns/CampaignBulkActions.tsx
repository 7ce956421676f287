import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import type { CampaignRow } from './campaigns.ts'

/** Duplicates or deletes the selected campaigns. Only drafts are deleted. */
export function CampaignBulkActions({ campaigns, onDone }: { campaigns: readonly CampaignRow[]; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [isAsking, setAsking] = useState(false)
  const drafts = campaigns.filter(({ status }) => status === 'DRAFT')
  const skipped = campaigns.length - drafts.length
  const run = useMutation({
    mutationFn: async (what: 'duplicate' | 'delete') => {
      for (const { id } of what === 'delete' ? drafts : campaigns) {
        const params = { path: { id } }
        if (what === 'delete') await api.DELETE('/campaigns/{id}', { params })
        else await api.POST('/campaigns/{id}/duplicate', { params })
      }
    },
    onSuccess: onDone,
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad' }),
    onSettled: () => void invalidate('campaigns'),
  })
  if (isAsking) {
    return (
      <>
        <span className="small t2">
          {skipped > 0 && `${plural(skipped, 'other campaign')} stay. `}This can’t be undone.
        </span>
        <Button variant="filled" color="bad" loading={run.isPending} onClick={() => run.mutate('delete')}>
          Delete {plural(drafts.length, 'draft')}
        </Button>
      </>
    )
  }
  return (
    <>
      <Button variant="subtle" color="gray" loading={run.isPending} onClick={() => run.mutate('duplicate')}>
        Duplicate
      </Button>
      {drafts.length > 0 && (
        <Button variant="subtle" color="bad" onClick={() => setAsking(true)}>
          Delete {plural(drafts.length, 'draft')}…
        </Button>
      )}
    </>
  )
}
