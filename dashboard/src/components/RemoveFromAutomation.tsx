import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../api/client.ts'
import { useInvalidate, useWorkspace } from '../api/workspace.tsx'

/** Ends a contact's enrollment after a confirmation. */
export function RemoveFromAutomation({ automationId, contactId }: { automationId: string; contactId: string }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [isAsking, setAsking] = useState(false)
  const end = useMutation({
    mutationFn: () =>
      api.DELETE('/automations/{id}/enrollments/{contactId}', { params: { path: { id: automationId, contactId } } }),
    onError: (error) => notifications.show({ color: 'bad', message: errorMessage(error) }),
    onSettled: () => Promise.all([invalidate('enrollments'), invalidate('contacts', contactId)]),
  })
  if (!isAsking)
    return (
      <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
        Remove from automation…
      </Button>
    )
  return (
    <>
      <span className="small t2">Stops all further emails. This can’t be undone.</span>
      <Button variant="filled" color="bad" loading={end.isPending} onClick={() => end.mutate()}>
        Remove from automation
      </Button>
      <Button variant="subtle" color="gray" onClick={() => setAsking(false)}>
        Cancel
      </Button>
    </>
  )
}
