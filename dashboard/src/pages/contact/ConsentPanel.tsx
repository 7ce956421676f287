import { Button, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { hasErrorCode, type Schemas } from '../../api/client.ts'
import { useLists } from '../../api/queries.ts'
import { useHasRole, useInvalidate, useWorkspace, useWorkspaceQuery } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { showUndo } from '../../primitives/undo-toast.tsx'
import { REASON_LABELS } from '../suppressions/reasons.ts'
import { ConsentHistory } from './ConsentHistory.tsx'
import classes from './contact.module.css'

type Contact = Schemas['Contact']
type Suppression = Schemas['Suppression']

/** The lists that are shown until the rest is asked for. */
const MAX_LISTS = 8

/** Shows whether a contact gets marketing, why not and since when, and changes it: for all marketing, or for one list. */
export function ConsentPanel({ contact }: { contact: Contact }) {
  const canEdit = useHasRole('editor')
  const { data: suppressions = [], error } = useWorkspaceQuery(
    ['contacts', contact.id, 'suppressions', contact.suppressedBy, contact.email],
    async (api, signal) => {
      const query = { email: contact.email, limit: 20 }
      return (await api.GET('/suppressions', { params: { query }, signal })).data.data
    },
  )
  return (
    <>
      <Section title="Consent">
        {error && <ErrorBanner error={error} />}
        {suppressions.map((each) => (
          <SuppressionRow key={each.id} of={each} canEdit={canEdit} />
        ))}
        {contact.suppressedBy === null && (
          <div className="row">
            <p className="t2">Gets marketing email.</p>
            {canEdit && <Unsubscribe contact={contact} />}
          </div>
        )}
        {contact.suppressedBy === 'UNCONFIRMED' && (
          <p className="t2">Gets no marketing email until they click the link in the confirmation email.</p>
        )}
        <Lists contact={contact} canEdit={canEdit} />
      </Section>
      <ConsentHistory contact={contact} />
    </>
  )
}

/** Stops marketing at once. It can be undone for ten seconds. */
function Unsubscribe({ contact: { email } }: { contact: Contact }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const unsubscribe = useMutation({
    mutationFn: async () => (await api.POST('/suppressions', { body: { email, reason: 'UNSUBSCRIBED' } })).data.data.id,
    onSuccess(id) {
      showUndo('Unsubscribed. No marketing email from now on.', async () => {
        await api.DELETE('/suppressions/{id}', { params: { path: { id } } })
        await invalidate('contacts')
      })
      void invalidate('contacts')
    },
  })
  return (
    <>
      <Button className="push" loading={unsubscribe.isPending} onClick={() => unsubscribe.mutate()}>
        Unsubscribe
      </Button>
      {unsubscribe.isError && <ErrorBanner error={unsubscribe.error} />}
    </>
  )
}

function SuppressionRow({ of: { id, reason, note, createdAt }, canEdit }: { of: Suppression; canEdit: boolean }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [isAsking, { toggle, close }] = useDisclosure()
  /** Whether it stops all email, not only marketing. */
  const isBlock = reason === 'BOUNCED' || reason === 'MANUAL'
  const remove = useMutation({
    mutationFn: () => api.DELETE('/suppressions/{id}', { params: { path: { id } } }),
    onSuccess: () => invalidate('contacts'),
  })
  return (
    <div style={{ marginBottom: 8 }}>
      <div className="row">
        <div>
          <p>{REASON_LABELS[reason]}</p>
          <p className={`small t2 ${classes.note}`}>
            <Time at={createdAt} />
            {note !== null && ` · ${note}`}
          </p>
        </div>
        {canEdit && reason !== 'COMPLAINED' && (
          <Button className="push" aria-expanded={isAsking} onClick={toggle}>
            {isBlock ? 'Email again…' : 'Resubscribe…'}
          </Button>
        )}
      </div>
      {reason === 'COMPLAINED' && (
        <p className="small t2">They reported an email as spam. Only they can sign up again, by double opt-in.</p>
      )}
      {isAsking && (
        <div className="card still" style={{ marginTop: 8 }}>
          <p>
            {reason === 'BOUNCED'
              ? 'Continue only if the mailbox exists again. Emails to addresses that bounce harm your reputation.'
              : reason === 'MANUAL'
                ? 'A member stopped all email to this address. The audit log records that you allowed it again.'
                : 'Continue only if the contact asked for it. The audit log records that you did this.'}
          </p>
          {remove.isError && <ErrorBanner error={remove.error} />}
          <div className="row">
            <Button variant="filled" loading={remove.isPending} onClick={() => remove.mutate()}>
              {isBlock ? 'Email them again' : 'They asked: resubscribe'}
            </Button>
            <Button variant="subtle" color="gray" onClick={close}>
              Cancel
            </Button>
          </div>
        </div>
      )}
    </div>
  )
}

function Lists({ contact, canEdit }: { contact: Contact; canEdit: boolean }) {
  const lists = useLists()
  const [showsAll, { open }] = useDisclosure()
  if (lists === undefined || lists.length === 0) return null
  const isIn = (id: string) => contact.listIds.includes(id)
  // The lists of the contact come first.
  const sorted = [...lists.filter(({ value }) => isIn(value)), ...lists.filter(({ value }) => !isIn(value))]
  return (
    <ul aria-label="Lists" className={classes.lists}>
      {(showsAll ? sorted : sorted.slice(0, MAX_LISTS)).map(({ value, label, isAsking }) => (
        <ListSwitch
          key={value}
          contact={contact}
          list={{ id: value, name: label, isAsking }}
          isIn={isIn(value)}
          canEdit={canEdit}
        />
      ))}
      {sorted.length > MAX_LISTS && !showsAll && (
        <li>
          <button type="button" className="link textButton" onClick={open}>
            Show all {sorted.length} lists
          </button>
        </li>
      )}
    </ul>
  )
}

function ListSwitch({
  contact,
  list,
  isIn,
  canEdit,
}: {
  contact: Contact
  list: { id: string; name: string; isAsking: boolean }
  isIn: boolean
  canEdit: boolean
}) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const path = { id: list.id }
  const add = (resubscribe: boolean) =>
    api.POST('/lists/{id}/contacts', {
      params: { path },
      body: { contactId: contact.id, ...(resubscribe && { resubscribe }) },
    })
  const change = useMutation({
    mutationFn: async ({ joins, resubscribe = false }: { joins: boolean; resubscribe?: boolean }) => {
      if (joins) return void (await add(resubscribe))
      await api.DELETE('/lists/{id}/contacts/{contactId}', { params: { path: { ...path, contactId: contact.id } } })
      // Joining a list again asks for a confirmation, or starts automations, so there is no undo.
      notifications.show({ message: `Removed from ${list.name}.` })
    },
    onSettled: () => invalidate('contacts'),
  })
  const hasLeft = hasErrorCode(change.error, 'contact_left_list')
  const isPending = change.isSuccess && change.variables.joins && !isIn && list.isAsking
  return (
    <li>
      <Switch
        label={list.name}
        description={isPending ? 'Joins when they confirm by email' : undefined}
        checked={isIn}
        disabled={!canEdit || change.isPending}
        onChange={({ currentTarget: { checked } }) => change.mutate({ joins: checked })}
      />
      {hasLeft && (
        <div className="row small t2" role="status" style={{ flexWrap: 'wrap' }}>
          They left this list themselves.
          <Button size="compact-sm" onClick={() => change.mutate({ joins: true, resubscribe: true })}>
            They asked: add again
          </Button>
        </div>
      )}
      {change.isError && !hasLeft && <ErrorBanner error={change.error} />}
    </li>
  )
}
