import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../api/workspace.tsx'

/** Milliseconds for which an address is cached, so that table rows load each contact once. */
const FRESH_MS = 600_000

/** Loads the email address of a contact, or says that the contact was deleted. */
export function useContactEmail(contactId: string): string {
  const { api, workspace } = useWorkspace()
  const { data: email, isError } = useQuery({
    queryKey: [workspace.id, 'contacts', contactId, 'email'],
    queryFn: async ({ signal }) =>
      (await api.GET('/contacts/{id}', { params: { path: { id: contactId } }, signal })).data.data.email,
    staleTime: FRESH_MS,
    retry: false,
  })
  return email ?? (isError ? 'Deleted contact' : '…')
}

/** Links to a contact, with the email address as text. */
export function ContactLink({ contactId }: { contactId: string }) {
  const { workspace } = useWorkspace()
  const email = useContactEmail(contactId)
  return (
    <Link to="/w/$workspaceId/contacts/$contactId" params={{ workspaceId: workspace.id, contactId }}>
      <bdi>{email}</bdi>
    </Link>
  )
}
