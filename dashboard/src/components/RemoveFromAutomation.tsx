import { useInvalidate, useWorkspace } from '../api/workspace.tsx'
import { AskButton } from '../primitives/AskButton.tsx'

/** Ends a contact's enrollment after a confirmation. */
export function RemoveFromAutomation({ automationId, contactId }: { automationId: string; contactId: string }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return (
    <AskButton
      label="Remove from automation…"
      confirmLabel="Remove from automation"
      description="Stops all further emails. This can’t be undone."
      action={() =>
        api
          .DELETE('/automations/{id}/enrollments/{contactId}', { params: { path: { id: automationId, contactId } } })
          .finally(() => Promise.all([invalidate('enrollments'), invalidate('contacts', contactId)]))
      }
    />
  )
}
