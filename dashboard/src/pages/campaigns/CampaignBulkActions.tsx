import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../../api/client.ts'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { AskButton } from '../../primitives/AskButton.tsx'
import type { CampaignRow } from './campaigns.ts'

/** Duplicates or deletes the selected campaigns. Only drafts are deleted. */
export function CampaignBulkActions({ campaigns, onDone }: { campaigns: readonly CampaignRow[]; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const drafts = campaigns.filter(({ status }) => status === 'DRAFT')
  const skipped = campaigns.length - drafts.length
  const again = () => void invalidate('campaigns')
  const duplicate = useMutation({
    async mutationFn() {
      for (const { id } of campaigns) await api.POST('/campaigns/{id}/duplicate', { params: { path: { id } } })
    },
    onSuccess: onDone,
    onError: (error) => notifications.show({ message: errorMessage(error), color: 'bad' }),
    onSettled: again,
  })
  const deleteDrafts = async () => {
    for (const { id } of drafts) await api.DELETE('/campaigns/{id}', { params: { path: { id } } })
    onDone()
  }
  return (
    <>
      <Button variant="subtle" color="gray" loading={duplicate.isPending} onClick={() => duplicate.mutate()}>
        Duplicate
      </Button>
      {drafts.length > 0 && (
        <AskButton
          label={`Delete ${plural(drafts.length, 'draft')}…`}
          button={{ color: 'bad' }}
          confirmLabel={`Delete ${plural(drafts.length, 'draft')}`}
          description={`${skipped > 0 ? `${plural(skipped, 'other campaign stays', 'other campaigns stay')}. ` : ''}This can’t be undone.`}
          action={() => deleteDrafts().finally(again)}
        />
      )}
    </>
  )
}
