import { Button } from '@mantine/core'
import { IconRefresh, IconUsers } from '@tabler/icons-react'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { EDITED_KEY } from '../../api/query-client.ts'
import { useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { AUTOMATION_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { EmptyPage } from '../../primitives/EmptyPage.tsx'
import { AutomationViews } from '../builder/AutomationViews.tsx'
import { loadAutomation } from '../builder/load-automation.ts'
import { findProblem } from '../builder/problems.ts'
import { ContactRehearsal } from './ContactRehearsal.tsx'
import { ROUTE } from './route.ts'
import classes from './rehearsal.module.css'
import { DraftProblem } from './RehearsalError.tsx'
import { rehearsedOf, type SupposedEvent } from './scenario.ts'

/** Shows what an automation would do, on a virtual clock: for a contact or for an audience. Nothing is sent. */
export function RehearsalPage() {
  const { automationId } = useParams({ from: ROUTE })
  const { data, error, refetch, dataUpdatedAt } = useWorkspaceQuery(
    [EDITED_KEY, automationId, 'rehearsed'],
    (api, signal) => loadAutomation(api, automationId, signal),
    { once: true },
  )
  const rehearsed = useMemo(() => data && rehearsedOf(data), [data])
  const problem = rehearsed && findProblem(rehearsed.sequence)
  return (
    <Page
      parent={<ToList list="automations">Automations</ToList>}
      title={data?.automation.name ?? 'Automation'}
      meta={
        data && (
          <>
            <StatusBadge status={AUTOMATION_STATUS[data.automation.status]} />
            <span className="small t3">{rehearsed?.name}</span>
          </>
        )
      }
      actions={
        <>
          <AutomationViews automationId={automationId} value="rehearse" />
          <Button variant="filled" leftSection={<IconRefresh size={14} aria-hidden />} onClick={() => void refetch()}>
            Run again
          </Button>
        </>
      }
      isFull
    >
      <div className={classes.page}>
        {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
        {!data && !error && <SkeletonRows />}
        {problem && <DraftProblem automationId={automationId} problem={problem} />}
        {rehearsed && !problem && (
          <ForContact automationId={automationId} rehearsed={rehearsed} revision={dataUpdatedAt} />
        )}
      </div>
    </Page>
  )
}

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

function ForContact({
  automationId,
  rehearsed,
  revision,
}: {
  automationId: string
  rehearsed: NonNullable<ReturnType<typeof rehearsedOf>>
  revision: number
}) {
  const { workspace } = useWorkspace()
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const [events, setEvents] = useState<readonly SupposedEvent[]>([])
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
      events={events}
      onEvents={setEvents}
    />
  )
}
