import { Button, Menu, ActionIcon, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconBolt, IconDots, IconPlus } from '@tabler/icons-react'
import { useMutation, useQueries } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay, useRead, useReadAgain, useWorkspace } from '../../api/workspace.tsx'
import { isWrong } from '../../parts/is-wrong.ts'
import { One } from '../../parts/One.tsx'
import { Unsaved } from '../../parts/NotSaved.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { ENROLLMENT_LOOKS, State } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import { once, wasDoneBefore } from '../../api/once.ts'
import { readPages, useListNames } from '../../api/reads.ts'
import { notMailed } from '../suppressions/reasons.ts'
import classes from './contact.module.css'
import { EndEnrollment } from '../../parts/EndEnrollment.tsx'
import { EditContact } from './EditContact.tsx'
import { Next, Progress } from './Next.tsx'
import { Timeline } from './Timeline.tsx'
import { CurlButton } from '../../parts/CurlButton.tsx'

type Contact = Schemas['Contact']

/** One contact: what happened, what is to come, and what is known. */
export function ContactPage() {
  const { contactId } = useParams({ from: '/w/$workspaceId/contacts/$contactId' })
  // What is asked about one goes along to no other.
  return <OfContact key={contactId} contactId={contactId} />
}

function OfContact({ contactId }: { contactId: string }) {
  const { workspace } = useWorkspace()
  const {
    data: contact,
    error,
    refetch,
  } = useRead(
    ['contacts', contactId],
    async (api, signal) => (await api.GET('/contacts/{id}', { params: { path: { id: contactId } }, signal })).data.data,
    { everyMs: 15_000 },
  )
  const { enrollments, automations } = useEnrollments(contactId)
  const may = useMay('editor')
  const [asked, setAsked] = useState<'event' | 'enroll' | 'edit' | 'erase'>()
  const done = () => setAsked(undefined)
  // One at a time: another one would take the place of what was typed.
  const isEditing = asked === 'edit' || asked === 'event'
  return (
    <Page
      title={contact?.firstName ?? contact?.email ?? 'Contact'}
      actions={
        may &&
        contact && (
          <>
            <Button leftSection={<IconBolt aria-hidden />} disabled={isEditing} onClick={() => setAsked('event')}>
              Fire event…
            </Button>
            <Button leftSection={<IconPlus aria-hidden />} disabled={isEditing} onClick={() => setAsked('enroll')}>
              Enroll…
            </Button>
            <Menu>
              <Menu.Target>
                <ActionIcon aria-label="More">
                  <IconDots />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item disabled={isEditing} onClick={() => setAsked('edit')}>
                  Edit…
                </Menu.Item>
                <Menu.Item color="bad" disabled={isEditing} onClick={() => setAsked('erase')}>
                  Erase…
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
      aside={
        contact && (
          <Beside
            contact={contact}
            enrollments={enrollments}
            automations={automations}
            onEdit={() => setAsked((now) => (now === 'event' ? now : 'edit'))}
          />
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {!contact && !error && <Rows />}
      {contact && (
        <>
          <div className={classes.who}>
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
                  {notMailed(contact.suppressedBy)}
                  {(contact.suppressedBy === 'BOUNCED' || contact.suppressedBy === 'COMPLAINED') && (
                    <>
                      {'. '}
                      <Link
                        to="/w/$workspaceId/bounces"
                        params={{ workspaceId: workspace.id }}
                        search={{ contactId: contact.id }}
                      >
                        What came back
                      </Link>
                    </>
                  )}
                </p>
              )}
            </div>
          </div>
          {asked === 'event' && <FireEvent contact={contact} onDone={done} />}
          {asked === 'enroll' && <Enroll contact={contact} onDone={done} />}
          {asked === 'edit' && <EditContact key={contact.id} contact={contact} onDone={done} />}
          {asked === 'erase' && <Erase contact={contact} onDone={done} />}
          <Timeline
            contactId={contact.id}
            enrollments={enrollments}
            nameOf={(id) => automations.get(id)?.name ?? 'An automation'}
          />
        </>
      )}
    </Page>
  )
}

/** What a contact is in, and the automations of it. */
function useEnrollments(contactId: string) {
  const { api, workspace } = useWorkspace()
  const { data: enrollments = NONE } = useRead(
    ['contacts', contactId, 'enrollments'],
    async (read, signal) =>
      (await read.GET('/contacts/{id}/enrollments', { params: { path: { id: contactId } }, signal })).data.data,
    { everyMs: 5_000 },
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

const NONE: readonly Schemas['Enrollment'][] = []

function Beside({
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
  const may = useMay('editor')
  const listName = useListNames()
  return (
    <>
      <Next name={contact.firstName ?? 'them'} enrollments={enrollments} automations={automations} />
      <Part title="Enrollments" beside={enrollments.length}>
        {enrollments.length === 0 && <p className="t2">In no automation yet.</p>}
        <ul>
          {enrollments.map((enrollment) => {
            const { id, automationId, status, held, nextAt } = enrollment
            const automation = automations.get(automationId)
            return (
              <li key={id} className={classes.enrollment}>
                <div className="row">
                  <Link
                    className="strong cut"
                    to="/w/$workspaceId/automations/$automationId"
                    params={{ workspaceId: workspace.id, automationId }}
                  >
                    {automation?.name ?? 'An automation'}
                  </Link>
                  <span className="push">
                    <State look={ENROLLMENT_LOOKS[held ? 'HELD' : status]} />
                  </span>
                </div>
                <Progress enrollment={enrollment} automation={automation} />
                {status === 'ACTIVE' && (
                  <p className="small t2">
                    {held ? (
                      'An email is due, and its automation does not send'
                    ) : (
                      <>
                        Goes on <Time at={nextAt} />
                      </>
                    )}
                  </p>
                )}
                {status === 'ACTIVE' && may && <EndEnrollment automationId={automationId} contactId={contact.id} />}
              </li>
            )
          })}
        </ul>
      </Part>
      <Part
        title="Data"
        action={
          may && (
            <button type="button" className={classes.textButton} onClick={onEdit}>
              Edit
            </button>
          )
        }
      >
        <dl className={classes.data}>
          {contact.externalId !== null && (
            <>
              <dt>externalId</dt>
              <dd className="mono">{contact.externalId}</dd>
            </>
          )}
          {Object.entries(contact.metadata).map(([key, value]) => (
            <Fragmented key={key} name={key} value={typeof value === 'string' ? value : JSON.stringify(value)} />
          ))}
          <dt>Lists</dt>
          <dd>
            <Words of={contact.listIds.map((id) => listName(id) ?? id)} />
          </dd>
          <dt>Tags</dt>
          <dd>
            <Words of={contact.tags} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={contact.createdAt} as="date" />
          </dd>
          <dt>id</dt>
          <dd className="mono">{contact.id}</dd>
        </dl>
      </Part>
    </>
  )
}

const Words = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? (
    <span className="t3">None</span>
  ) : (
    of.map((word) => (
      <span key={word} className={classes.word}>
        {word}
      </span>
    ))
  )

const Fragmented = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
)

function FireEvent({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [name, setName] = useState('')
  const fire = useMutation({
    mutationFn: async () => {
      const path = { id: contact.id }
      const { data, response } = await once(['event', path, name], (header) =>
        api.POST('/contacts/{id}/events', { params: { path, header }, body: { name } }),
      )
      return { ...data.data, was: wasDoneBefore(response) }
    },
    onSuccess({ matchingAutomations, was }) {
      const before = was ? ' It was by the press before, and not once more.' : ''
      notifications.show({ message: `The event was fired. ${matchingAutomations} automations listen for it.${before}` })
      void readAgain('contacts', contact.id)
    },
  })
  return (
    <div className={classes.ask}>
      <Unsaved isDirty={name !== '' && !fire.isSuccess} isSending={fire.isPending} />
      {fire.isError && <Problem error={fire.error} isAnswer />}
      <TextInput
        disabled={fire.isPending}
        label="Event"
        placeholder="trial.started"
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        autoFocus
      />
      <div className="row">
        <Button variant="filled" loading={fire.isPending} onClick={() => fire.mutate(undefined, { onSuccess: onDone })}>
          Fire event
        </Button>
        <Button variant="subtle" color="gray" onClick={onDone} disabled={fire.isPending}>
          Cancel
        </Button>
        <CurlButton call={{ method: 'POST', path: `/contacts/${contact.id}/events`, body: { name } }} />
      </div>
    </div>
  )
}

function Enroll({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api } = useWorkspace()
  const readAgain = useReadAgain()
  const [automationId, setAutomationId] = useState<string | null>(null)
  const [isTold, setTold] = useState(false)
  const { data } = useRead(['automations', 'active'], async (read, signal) => {
    const listed = await readPages((query) => read.GET('/automations', { params: { query }, signal }))
    return listed.filter(({ status }) => status === 'active').map(({ id, name }) => ({ value: id, label: name }))
  })
  const enroll = useMutation({
    mutationFn: async (id: string) => {
      const body = { contactId: contact.id }
      const { data: enrolled, response } = await once(['enroll', id, body], (header) =>
        api.POST('/automations/{id}/enroll', { params: { path: { id }, header }, body }),
      )
      return { ...enrolled.data, was: wasDoneBefore(response) }
    },
    onSuccess({ enrolled, was }) {
      const says = was ? 'Enrolled by the press before, and not once more.' : 'Enrolled: the first step begins at once.'
      notifications.show({ message: enrolled ? says : 'Already in it: nothing has happened.' })
      void readAgain('contacts', contact.id)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // What is red is not what would be done.
    if (isWrong(event.currentTarget)) return
    setTold(automationId === null)
    if (automationId !== null) enroll.mutate(automationId, { onSuccess: onDone })
  }
  return (
    <form className={classes.ask} onSubmit={submit} aria-label="Enroll the contact">
      {enroll.isError && <Problem error={enroll.error} isAnswer />}
      <One
        label="Automation"
        placeholder="Which"
        data={data ?? []}
        value={automationId}
        onChange={(id) => {
          setAutomationId(id)
          setTold(false)
        }}
        isMissing={isTold && automationId === null}
      />
      <div className="row">
        <Button variant="filled" loading={enroll.isPending} type="submit">
          Enroll contact
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

function Erase({ contact, onDone }: { contact: Contact; onDone: () => void }) {
  const { api, workspace } = useWorkspace()
  const readAgain = useReadAgain()
  const navigate = useNavigate()
  const erase = useMutation({
    mutationFn: () => api.DELETE('/contacts/{id}', { params: { path: { id: contact.id } } }),
    onSuccess: () => void readAgain('contacts'),
  })
  const leave = () => void navigate({ to: '/w/$workspaceId/contacts', params: { workspaceId: workspace.id } })
  return (
    <div className={`${classes.ask} ${classes.bad} c-bad`} role="group" aria-label="Erase this contact">
      <h3>Erase {contact.email}?</h3>
      <p className="t2">
        The contact, what it was sent, its events and enrollments are gone, and it receives no further email from the
        moment you confirm. This cannot be undone.
      </p>
      {erase.isError && <Problem error={erase.error} isAnswer />}
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
          Keep it
        </Button>
        <CurlButton call={{ method: 'DELETE', path: `/contacts/${contact.id}` }} />
      </div>
    </div>
  )
}
