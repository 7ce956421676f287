import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { errorMessage } from '../api/client.ts'
import { useHasRole, useInvalidate, useWorkspace } from '../api/workspace.tsx'

/** Ends the present wait of a contact, in a test workspace. Elsewhere it shows nothing. */
export function SkipWaitButton({
  automationId,
  contactId,
  nextAt,
}: {
  automationId: string
  contactId: string
  /** When the wait ends. */
  nextAt: string | null
}) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const canEdit = useHasRole('editor')
  const skip = useMutation({
    mutationFn: () =>
      api.POST('/automations/{id}/enrollments/{contactId}/skip', { params: { path: { id: automationId, contactId } } }),
    onError: (error) => notifications.show({ color: 'bad', message: errorMessage(error) }),
    onSettled: () => Promise.all([invalidate('enrollments'), invalidate('contacts', contactId)]),
  })
  const isWaiting = nextAt !== null && Date.parse(nextAt) > Date.now()
  if (workspace.mode !== 'test' || !canEdit || !isWaiting) return null
  return (
    <Button variant="subtle" color="gray" loading={skip.isPending} onClick={() => skip.mutate()}>
      Skip wait
    </Button>
  )
}
