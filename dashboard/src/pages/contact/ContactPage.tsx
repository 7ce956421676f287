import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconBolt, IconDots, IconPlus } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { StatusBadge } from '../../components/StatusBadge.tsx'
import { Page } from '../../layout/Page.tsx'
import { ToList } from '../../layout/ToList.tsx'
import { contactName, firstNameOf } from '../../lib/first-name.ts'
import { subscriptionOf } from '../contacts/subscription.ts'
import { suppressionText } from '../suppressions/reasons.ts'
import { ViewTabs } from '../../primitives/ViewTabs.tsx'
import { ConfirmErase } from './ConfirmErase.tsx'
import { ConsentPanel } from './ConsentPanel.tsx'
import { ContactEnrollments } from './ContactEnrollments.tsx'
import { ContactMessages } from './ContactMessages.tsx'
import { ContactSidebar } from './ContactSidebar.tsx'
import { EditContactForm } from './EditContact.tsx'
import { EnrollForm } from './EnrollForm.tsx'
import { SendEventForm } from './SendEventForm.tsx'
import { Timeline } from './Timeline.tsx'
import { type WhyOf, WhyPanel } from './WhyPanel.tsx'
import classes from './contact.module.css'

type ContactTab = 'messages' | 'enrollments' | 'consent'

export function ContactPage() {
  const { contactId } = useParams({ from: '/w/$workspaceId/contacts/$contactId' })
  // The key resets open forms when another contact is shown.
  return <ContactDetails key={contactId} contactId={contactId} />
}

function ContactDetails({ contactId }: { contactId: string }) {
  const { workspace } = useWorkspace()
  const {
    data: contact,
    error,
    refetch,
  } = useWorkspaceQuery(
    ['contacts', contactId],
    async (api, signal) => (await api.GET('/contacts/{id}', { params: { path: { id: contactId } }, signal })).data.data,
    { refetchMs: 15_000 },
  )
  const { enrollments, automations } = useEnrollments(contactId)
  const canEdit = useHasRole('editor')
  const [asked, setPending] = useState<'event' | 'enroll' | 'edit' | 'erase'>()
  const done = () => setPending(undefined)
  const search = useSearch({ from: '/w/$workspaceId/contacts/$contactId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/contacts/$contactId' })
  const { tab = 'activity' } = search
  const go = ({ tab: nextTab, why }: { tab?: ContactTab | undefined; why?: WhyOf | undefined }) =>
    void navigate({ search: { ...(nextTab && { tab: nextTab }), ...(why && { why }) }, replace: true })
  const nameOf = (id: string) => automations.get(id)?.name ?? 'Deleted automation'
  // One form at a time: another would discard what was typed.
  const isEditing = asked === 'edit' || asked === 'event'
  return (
    <Page
      parent={<ToList list="contacts">Contacts</ToList>}
      title={contact ? contactName(contact) : 'Contact'}
      actions={
        canEdit &&
        contact && (
          <>
            <Button leftSection={<IconBolt aria-hidden />} disabled={isEditing} onClick={() => setPending('event')}>
              Send event…
            </Button>
            <Button leftSection={<IconPlus aria-hidden />} disabled={isEditing} onClick={() => setPending('enroll')}>
              {' '}
              Add to automation…
            </Button>
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label="More actions">
                  <IconDots />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item disabled={isEditing} onClick={() => setPending('edit')}>
                  Edit…
                </Menu.Item>
                <Menu.Item color="bad" disabled={isEditing} onClick={() => setPending('erase')}>
                  Erase…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
      aside={
        contact && (
          <ContactSidebar
            contact={contact}
            enrollments={enrollments}
            automations={automations}
            onEdit={() => setPending((now) => (now === 'event' ? now : 'edit'))}
          />
        )
      }
    >
      {error && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {!contact && !error && <SkeletonRows />}
      {contact && (
        <>
          <div className={classes.header}>
            <span className={classes.avatar} aria-hidden>
              {contactName(contact)[0]?.toUpperCase()}
            </span>
            <div>
              <h2 className={classes.name}>
                <bdi>{contactName(contact)}</bdi>
              </h2>
              {firstNameOf(contact) !== undefined && (
                <p className="t2">
                  <bdi>{contact.email}</bdi>
                </p>
              )}
              {contact.suppressedBy !== null && (
                <p className="small" style={{ color: 'var(--warn)' }}>
                  {suppressionText(contact.suppressedBy)}
                  {(contact.suppressedBy === 'BOUNCED' || contact.suppressedBy === 'COMPLAINED') && (
                    <>
                      {'. '}
                      <Link
                        to="/w/$workspaceId/bounces"
                        params={{ workspaceId: workspace.id }}
                        search={{ contactId: contact.id }}
                      >
                        View bounces
                      </Link>
                    </>
                  )}
                </p>
              )}
            </div>
            <span className="push">
              <StatusBadge status={subscriptionOf(contact)} />
            </span>
          </div>
          {asked === 'event' && <SendEventForm contact={contact} onDone={done} />}
          {asked === 'enroll' && <EnrollForm contact={contact} onDone={done} />}
          {asked === 'edit' && <EditContactForm key={contact.id} contact={contact} onDone={done} />}
          {asked === 'erase' && <ConfirmErase contact={contact} onDone={done} />}
          <WhyPanel
            contact={contact}
            why={search.why}
            onChoose={(why) => go({ ...search, why })}
            onEnroll={() => setPending('enroll')}
          />
          <ViewTabs
            label="About the contact"
            views={[
              { id: 'activity', label: 'Activity' },
              { id: 'messages', label: 'Messages' },
              { id: 'enrollments', label: 'Enrollments', count: enrollments.length },
              { id: 'consent', label: 'Consent' },
            ]}
            value={tab}
            onChange={(chosen) => go({ ...search, tab: chosen === 'activity' ? undefined : chosen })}
          />
          {tab === 'activity' && <Timeline contactId={contact.id} enrollments={enrollments} nameOf={nameOf} />}
          {tab === 'messages' && <ContactMessages contactId={contact.id} nameOf={nameOf} />}
          {tab === 'enrollments' && <ContactEnrollments enrollments={enrollments} automations={automations} />}
          {tab === 'consent' && <ConsentPanel contact={contact} />}
        </>
      )}
    </Page>
  )
}

/** Loads the enrollments of a contact and their automations. */
function useEnrollments(contactId: string) {
  const { api, workspace } = useWorkspace()
  const { data: enrollments = NO_ENROLLMENTS } = useWorkspaceQuery(
    ['contacts', contactId, 'enrollments'],
    async (read, signal) =>
      (await read.GET('/contacts/{id}/enrollments', { params: { path: { id: contactId } }, signal })).data.data,
    { refetchMs: 5_000 },
  )
  const ids = [...new Set(enrollments.map(({ automationId }) => automationId))]
  const read = useQueries({
    queries: ids.map((id) => ({
      queryKey: [workspace.id, 'automations', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await api.GET('/automations/{id}', { params: { path: { id } }, signal })).data.data,
      staleTime: 60_000,
      retry: false,
    })),
  })
  const automations = new Map(read.flatMap(({ data }) => (data ? [[data.id, data] as const] : [])))
  return { enrollments, automations }
}

const NO_ENROLLMENTS: readonly Schemas['Enrollment'][] = []
