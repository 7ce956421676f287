import { Button, Menu, ActionIcon, Textarea, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBolt, IconDots, IconPlus } from '@tabler/icons-react'
import { useMutation, useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspaceQuery, useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { focusInvalidField } from '../../lib/has-invalid-field.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { UnsavedChangesGuard } from '../../components/UnsavedChanges.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime, Time } from '../../components/Time.tsx'
import { Page, Section } from '../../layout/Page.tsx'
import { callOnce, isReplay } from '../../api/call-once.ts'
import { readPages, useListName } from '../../api/queries.ts'
import { suppressionText } from '../suppressions/reasons.ts'
import { plural } from '../../lib/format.ts'
import classes from './contact.module.css'
import { SkipWaitButton } from '../../components/SkipWaitButton.tsx'
import { RemoveFromAutomation } from '../../components/RemoveFromAutomation.tsx'
import { EditContactForm } from './EditContact.tsx'
import { UpcomingSteps, Progress } from './UpcomingSteps.tsx'
import { Timeline } from './Timeline.tsx'
import { CurlButton } from '../../components/CurlButton.tsx'

type Contact = Schemas['Contact']

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
  // One form at a time: another would discard what was typed.
  const isEditing = asked === 'edit' || asked === 'event'
  return (
    <Page
      title={contact?.firstName ?? contact?.email ?? 'Contact'}
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
                <ActionIcon aria-label="More">
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
              {(contact.firstName ?? contact.email)[0]?.toUpperCase()}
            </span>
            <div>
              <h2 className={classes.name}>
                <bdi>{contact.firstName ?? contact.email}</bdi>
              </h2>
              {contact.firstName !== null && (
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
          </div>
          {asked === 'event' && <SendEventForm contact={contact} onDone={done} />}
          {asked === 'enroll' && <EnrollForm contact={contact} onDone={done} />}
          {asked === 'edit' && <EditContactForm key={contact.id} contact={contact} onDone={done} />}
          {asked === 'erase' && <ConfirmErase contact={contact} onDone={done} />}
          <Timeline
            contactId={contact.id}
            enrollments={enrollments}
            nameOf={(id) => automations.get(id)?.name ?? 'Deleted automation'}
          />
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

function ContactSidebar({
  contact,
  enrollments,
  automations,
  onEdit,
}: {
  contact: Contact
  enrollments: readonly Schemas['Enrollment'][]
  automations: ReadonlyMap<string, Schemas['Automation']>
  onEdit: () => void
}) {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const listName = useListName()
  return (
    <>
      <UpcomingSteps name={contact.firstName ?? 'this contact'} enrollments={enrollments} automations={automations} />
      <Section title="Enrollments" meta={enrollments.length}>
        {enrollments.length === 0 && <p className="t2">Not in any automation.</p>}
        <ul>
          {enrollments.map((enrollment) => {
            const { id, automationId, status, paused, nextAt } = enrollment
            const automation = automations.get(automationId)
            return (
              <li key={id} className={classes.enrollment}>
                <div className="row">
                  <Link
                    className="strong cut"
                    to="/w/$workspaceId/automations/$automationId"
                    params={{ workspaceId: workspace.id, automationId }}
                  >
                    {automation?.name ?? 'Deleted automation'}
                  </Link>
                  <span className="push">
                    <StatusBadge status={ENROLLMENT_STATUS[paused ? 'PAUSED' : status]} />
                  </span>
                </div>
                <Progress enrollment={enrollment} automation={automation} />
                {status === 'ACTIVE' && (
                  <p className="small t2">
                    {paused ? (
                      'Waiting: the automation is paused'
                    ) : (
                      <>
                        Next step <NextStepTime at={nextAt} />
                      </>
                    )}
                  </p>
                )}
                {status === 'ACTIVE' && canEdit && (
                  <div className={classes.remove}>
                    <SkipWaitButton
                      automationId={automationId}
                      contactId={contact.id}
                      nextAt={paused ? null : nextAt}
                    />
                    <RemoveFromAutomation automationId={automationId} contactId={contact.id} />
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      </Section>
      <Section
        title="Attributes"
        action={
          canEdit && (
            <button type="button" className="link textButton" onClick={onEdit}>
              Edit
            </button>
          )
        }
      >
        <dl className={classes.data}>
          {contact.externalId !== null && (
            <>
              <dt>External ID</dt>
              <dd className="mono">{contact.externalId}</dd>
            </>
          )}
          {Object.entries(contact.metadata).map(([key, value]) => (
            <DataRow key={key} name={key} value={typeof value === 'string' ? value : JSON.stringify(value)} />
          ))}
          <dt>Lists</dt>
          <dd>
            <Chips of={contact.listIds.map((id) => listName(id) ?? id)} />
          </dd>
          <dt>Tags</dt>
          <dd>
            <Chips of={contact.tags} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={contact.createdAt} as="date" />
          </dd>
          <dt>ID</dt>
          <dd className="mono">{contact.id}</dd>
        </dl>
      </Section>
    </>
  )
}

const Chips = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? (
    <span className="t3">None</span>
  ) : (
    of.map((label) => (
      <span key={label} className={classes.chip}>
        {label}
      </span>
    ))
  )

const DataRow = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
)

/** Parses the data of an event. @returns `undefined` if it is not a JSON object */
function parseData(text: string): Record<string, never> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, never>)
      : undefined
  } catch {
    return undefined
  }
}

function SendEventForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [isChecked, setChecked] = useState(false)
  const data = parseData(text)
  const body = { name, ...(data && Object.keys(data).length > 0 && { data }) }
  const fire = useMutation({
    mutationFn: async () => {
      const path = { id: contact.id }
      const { data: answer, response } = await callOnce(['event', path, body], (header) =>
        api.POST('/contacts/{id}/events', { params: { path, header }, body }),
      )
      return { ...answer.data, was: isReplay(response) }
    },
    onSuccess({ matchingAutomations, was }) {
      const before = was ? ' It was sent by your previous click.' : ''
      notifications.show({ message: `Event sent. It matches ${plural(matchingAutomations, 'automation')}.${before}` })
      void invalidate('contacts', contact.id)
    },
  })
  const send = () => (data ? fire.mutate(undefined, { onSuccess: onDone }) : setChecked(true))
  return (
    <div className={classes.ask}>
      <UnsavedChangesGuard isDirty={(name !== '' || text !== '') && !fire.isSuccess} isSending={fire.isPending} />
      {fire.isError && <ErrorBanner error={fire.error} scrollsIntoView />}
      <TextInput
        disabled={fire.isPending}
        label="Event"
        placeholder="trial.started"
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        autoFocus
      />
      <Textarea
        disabled={fire.isPending}
        label="Data"
        description="A JSON object. Optional."
        placeholder={'{ "orderId": "A-1" }'}
        autosize
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onBlur={() => setChecked(true)}
        error={isChecked && !data && 'Enter a JSON object, such as { "orderId": "A-1" }.'}
      />
      <div className="row">
        <Button variant="filled" loading={fire.isPending} onClick={send}>
          Send event
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={fire.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: `/contacts/${contact.id}/events`, body }} />
      </div>
    </div>
  )
}

function EnrollForm({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [automationId, setAutomationId] = useState<string | null>(null)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const { data } = useWorkspaceQuery(['automations', 'active'], async (read, signal) => {
    const listed = await readPages((query) => read.GET('/automations', { params: { query }, signal }))
    return listed.filter(({ status }) => status === 'active').map(({ id, name }) => ({ value: id, label: name }))
  })
  const enroll = useMutation({
    mutationFn: async (id: string) => {
      const body = { contactId: contact.id }
      const { data: enrolled, response } = await callOnce(['enroll', id, body], (header) =>
        api.POST('/automations/{id}/enroll', { params: { path: { id }, header }, body }),
      )
      return { ...enrolled.data, was: isReplay(response) }
    },
    onSuccess({ enrolled, was }) {
      const message = was ? 'Already added by your previous click.' : 'Added. The first step starts now.'
      notifications.show({ message: enrolled ? message : 'This contact is already in the automation.' })
      void invalidate('contacts', contact.id)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // The invalid text is not what would be enrolled.
    if (focusInvalidField(event.currentTarget)) return
    setWasSubmitted(automationId === null)
    if (automationId !== null) enroll.mutate(automationId, { onSuccess: onDone })
  }
  return (
    <form className={classes.ask} onSubmit={submit} aria-label="Add to automation">
      {enroll.isError && <ErrorBanner error={enroll.error} scrollsIntoView />}
      <SearchableSelect
        label="Automation"
        placeholder="Choose an automation"
        data={data ?? []}
        value={automationId}
        onChange={(id) => {
          setAutomationId(id)
          setWasSubmitted(false)
        }}
        isMissing={wasSubmitted && automationId === null}
      />
      <div className="row">
        <Button variant="filled" loading={enroll.isPending} type="submit">
          Add contact
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone}>
          Cancel
        </Button>
        {automationId !== null && (
          <CurlButton
            call={{ method: 'POST', path: `/automations/${automationId}/enroll`, body: { contactId: contact.id } }}
          />
        )}
      </div>
    </form>
  )
}

function ConfirmErase({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const invalidate = useInvalidate()
  const navigate = useNavigate()
  const erase = useMutation({
    mutationFn: () => api.DELETE('/contacts/{id}', { params: { path: { id: contact.id } } }),
    onSuccess: () => void invalidate('contacts'),
  })
  const leave = () => void navigate({ to: '/w/$workspaceId/contacts', params: { workspaceId: workspace.id } })
  return (
    <div className={`${classes.ask} ${classes.bad} c-bad`} role="group" aria-label="Erase this contact">
      <h3>Erase {contact.email}?</h3>
      <p className="t2">
        This permanently deletes the contact with all messages, events and enrollments. They receive no further email.
        This can’t be undone.
      </p>
      {erase.isError && <ErrorBanner error={erase.error} scrollsIntoView />}
      <div className="row">
        <Button
          variant="filled"
          color="bad"
          loading={erase.isPending}
          onClick={() => erase.mutate(undefined, { onSuccess: leave })}
        >
          Erase contact
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={erase.isPending}>
          {' '}
          Cancel
        </Button>
        <CurlButton call={{ method: 'DELETE', path: `/contacts/${contact.id}` }} />
      </div>
    </div>
  )
}
