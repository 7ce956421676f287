import { IconUsers } from '@tabler/icons-react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { ContactRehearsal } from './ContactRehearsal.tsx'
import { ROUTE } from './route.ts'
import type { Rehearsed, Supposed } from './scenario.ts'

/** Finds the contact of the address, or else the newest one. */
function useRehearsedContact(contactId: string | undefined) {
  return useWorkspaceQuery(
    ['contacts', 'rehearsed', contactId],
    async (api, signal) => {
      if (contactId !== undefined)
        return (await api.GET('/contacts/{id}', { params: { path: { id: contactId } }, signal })).data.data
      const { data } = await api.GET('/contacts', { params: { query: { limit: 1 } }, signal })
      return data.data[0] ?? null
    },
    { staleMs: Infinity, keepPrevious: true },
  )
}

/** Rehearses for the contact of the address, or else for the newest one. */
export function ForContact({
  automationId,
  rehearsed,
  revision,
  kind,
  supposed,
  onSupposed,
}: {
  automationId: string
  rehearsed: Rehearsed
  revision: number
  kind: ReactNode
  supposed: Supposed
  onSupposed: (supposed: Supposed) => void
}) {
  const { workspace } = useWorkspace()
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const { data: contact, error } = useRehearsedContact(search.contact)
  const show = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
  if (error) return <ErrorBanner error={error} />
  if (contact === undefined) return <SkeletonRows />
  if (contact === null)
    return (
      <EmptyPage
        icon={IconUsers}
        title="No contacts yet"
        action={
          <Link className="link" to="/w/$workspaceId/contacts" params={{ workspaceId: workspace.id }}>
            Contacts
          </Link>
        }
      >
        A rehearsal shows what would happen to a contact.
      </EmptyPage>
    )
  return (
    <ContactRehearsal
      automationId={automationId}
      rehearsed={rehearsed}
      revision={revision}
      contact={contact}
      onContact={(id) => show({ contact: id })}
      at={search.at}
      onAt={(at) => show({ at })}
      supposed={supposed}
      onSupposed={onSupposed}
      kind={kind}
    />
  )
}
