import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../api/workspace.tsx'

/** So long an address is taken for what it is, in milliseconds: rows of a table ask for each once. */
const FRESH_MS = 600_000

/** A contact by its address, and the way to its page. */
export function ContactLink({ contactId }: { contactId: string }) {
  const { api, workspace } = useWorkspace()
  const { data: email } = useQuery({
    queryKey: [workspace.id, 'contacts', contactId, 'email'],
    queryFn: async ({ signal }) =>
      (await api.GET('/contacts/{id}', { params: { path: { id: contactId } }, signal })).data.data.email,
    staleTime: FRESH_MS,
    retry: false,
  })
  return (
    <Link to="/w/$workspaceId/contacts/$contactId" params={{ workspaceId: workspace.id, contactId }}>
      <bdi>{email ?? '…'}</bdi>
    </Link>
  )
}
