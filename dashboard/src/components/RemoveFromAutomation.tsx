import { useInvalidate, useWorkspace } from '../api/workspace.tsx'
import { AskButton } from '../primitives/AskButton.tsx'
import { ConfirmAction } from './ConfirmAction.tsx'

interface EnrollmentRef {
  automationId: string
  contactId: string
}

function useRemoval({ automationId, contactId }: EnrollmentRef) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  return {
    confirmLabel: 'Remove from automation',
    description: 'Stops all further emails. This can’t be undone.',
    action: () =>
      api
        .DELETE('/automations/{id}/enrollments/{contactId}', { params: { path: { id: automationId, contactId } } })
        .finally(() => Promise.all([invalidate('enrollments'), invalidate('contacts', contactId)])),
  }
}

/** A button that ends a contact's enrollment after a confirmation. @param name names the automation, for screen readers */
export const RemoveFromAutomation = ({ name, ...enrollment }: EnrollmentRef & { name: string }) => (
  <AskButton label="Remove from automation…" name={name} {...useRemoval(enrollment)} />
)

/** Asks whether to end a contact's enrollment. */
export const ConfirmRemoval = ({ onDone, ...enrollment }: EnrollmentRef & { onDone: () => void }) => (
  <ConfirmAction {...useRemoval(enrollment)} onDone={onDone} />
)
