/** The statements that record events: which are wanted, the rows that they describe, and the events. */
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import { ALL_EVENTS, type EventType } from './event-types.ts'

/** The types of events that the enabled endpoints of workspaces want. */
export class Subscriptions {
  private readonly types: ReadonlyMap<string, ReadonlySet<string>>

  constructor(endpoints: readonly { workspace_id: string; events: readonly string[] }[]) {
    const byWorkspace = Map.groupBy(endpoints, ({ workspace_id }) => workspace_id)
    this.types = new Map([...byWorkspace].map(([id, own]) => [id, new Set(own.flatMap(({ events }) => events))]))
  }

  want(workspaceId: string, type: EventType): boolean {
    const types = this.types.get(workspaceId)
    return types !== undefined && (types.has(type) || types.has(ALL_EVENTS))
  }
}

/** Reads what the enabled endpoints of workspaces want. */
export async function readSubscriptions(em: EntityManager, workspaceIds: readonly string[]): Promise<Subscriptions> {
  const rows = await preparedSql<{ workspace_id: string; events: string[] }>(
    em,
    'webhook-subscriptions',
    `select workspace_id, events from webhook_endpoints where workspace_id = any($1::uuid[]) and status = 'ENABLED'`,
    [[...new Set(workspaceIds)]],
  )
  return new Subscriptions(rows)
}

export interface NewEvent {
  workspaceId: string
  contactId: string | null
  type: EventType
  data: object
}

/** Inserts events in their order, with their deliveries: see the trigger. */
export async function insertEvents(em: EntityManager, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql(
    em,
    `insert into webhook_events (workspace_id, contact_id, type, data)
     select workspace_id, contact_id, type, data
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[]) with ordinality as event (workspace_id, contact_id, type, data, n)
     order by n`,
    [
      events.map(({ workspaceId }) => workspaceId),
      events.map(({ contactId }) => contactId),
      events.map(({ type }) => type),
      events.map(({ data }) => JSON.stringify(data)),
    ],
  )
}

/** Adds changes of contacts to the events that this transaction has already recorded of them. @returns the added ones */
export async function mergeContactChanges(
  em: EntityManager,
  events: readonly NewEvent[],
): Promise<ReadonlySet<NewEvent>> {
  const changes = events.filter(({ type }) => type === 'contact.updated')
  if (changes.length === 0) return new Set()
  const rows = await sql<{ contact_id: string }>(
    em,
    `update webhook_events event set data = change.data || jsonb_build_object('changed', (
       select jsonb_agg(distinct name) from jsonb_array_elements(event.data -> 'changed' || (change.data -> 'changed')) name
     ))
     from unnest($1::uuid[], $2::jsonb[]) as change (contact_id, data)
     where event.contact_id = change.contact_id and event.type = 'contact.updated' and event.xid = pg_current_xact_id()
     returning event.contact_id`,
    [changes.map(({ contactId }) => contactId), changes.map(({ data }) => JSON.stringify(data))],
  )
  const merged = new Set(rows.map(({ contact_id }) => contact_id))
  return new Set(changes.filter(({ contactId }) => merged.has(contactId!)))
}

/** Deletes the events of a contact that is being erased, with their deliveries and what they log. */
export async function deleteEventsOf(em: EntityManager, contactId: string): Promise<void> {
  await sql(em, 'delete from webhook_events where contact_id = $1::uuid', [contactId])
}

/** Reads rows by their IDs, if there are any. */
async function byId<Row extends { id: string }>(
  em: EntityManager,
  text: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  if (ids.length === 0) return new Map()
  return new Map(toObjects<Row>(await sql(em, text, [ids])).map((row) => [row.id, row]))
}

export interface ContactPayload {
  id: string
  email: string
  externalId: string | null
  firstName: string | null
  /** Whether this transaction created it. Other transactions of the same moment are not meant. */
  isNew: boolean
}

export const readContacts = (em: EntityManager, ids: readonly string[]) =>
  byId<ContactPayload>(
    em,
    `select id, email, external_id, first_name, created_at = now() as is_new from contacts where id = any($1::uuid[])`,
    ids,
  )

export async function readListNames(em: EntityManager, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const lists = await byId<{ id: string; name: string }>(
    em,
    'select id, name from lists where id = any($1::uuid[])',
    ids,
  )
  return new Map([...lists].map(([id, { name }]) => [id, name]))
}

export const readEnrollments = (em: EntityManager, ids: readonly string[]) =>
  byId<{ id: string; contactId: string }>(
    em,
    `select enrollment.id, automation_id, version as automation_version, contact_id, external_id, status, ended_by as rule
     from enrollments enrollment join contacts contact on contact.id = contact_id
     where enrollment.id = any($1::uuid[])`,
    ids,
  )

interface MessagePayload {
  id: string
  /** ID in `messages.contact_id`: a contact, or an address without one. */
  recipientId: string
  contactId: string | null
  /** The first link that a person clicked. */
  clickedUrl: string | null
}

/** Reads messages. A transactional email may have no contact; the others of erased contacts are missing. */
export const readMessages = (em: EntityManager, ids: readonly string[]) =>
  byId<MessagePayload>(
    em,
    `select message.id, message.contact_id as recipient_id, contact.id as contact_id, contact.external_id,
       message.automation_id, message.enrollment_id, message.step_id, message.campaign_id,
       coalesce(message.recipient, email.recipient, contact.email) as "to",
       coalesce(message.subject, email.subject) as subject, message.status, message.error as reason,
       (select url from message_visits where message_id = message.id and kind = 'CLICK' and visitor = 'PERSON'
        order by at limit 1) as clicked_url
     from messages message
     left join contacts contact on contact.id = message.contact_id
     left join emails email on email.id = message.id
     where message.id = any($1::uuid[]) and (contact.id is not null or email.id is not null)`,
    ids,
  )

export const readCampaigns = (em: EntityManager, ids: readonly string[]) =>
  byId(
    em,
    'select id, name, status, recipient_count::float8 as recipient_count, pause_reason as reason from campaigns where id = any($1::uuid[])',
    ids,
  )

export const readImports = (em: EntityManager, ids: readonly string[]) =>
  byId(
    em,
    'select id, name, status, created, updated, suppressed, failed, problem as reason from imports where id = any($1::uuid[])',
    ids,
  )
