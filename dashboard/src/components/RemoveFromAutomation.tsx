import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../api/client.ts'
import { useInvalidate, useWorkspace } from '../api/workspace.tsx'

/** Ends a contact's enrollment, once somebody has said so twice: it cannot be undone. */
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
        End it…
      </Button>
    )
  return (
    <>
      <Button variant="filled" color="bad" loading={end.isPending} onClick={() => end.mutate()}>
        End it: no further email
      </Button>
      <Button variant="subtle" color="gray" onClick={() => setAsking(false)}>
        Leave it
      </Button>
    </>
  )
}
