import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import {
  conditionSql,
  type ConditionContext,
  type EventFact,
  type MessageFact,
  type ResolvedCondition,
} from '../segments/index.ts'
import type { Trigger } from '../triggers/index.ts'
import type { ContactState } from './rehearsed-contact.ts'

/** The maximum number of events of each name, and of messages, that are read for a contact: the newest; in a replay, the oldest. */
const MAX_FACTS = 1_000

/** The contacts of a rehearsal: those who match a condition. */
export interface Audience {
  condition: ResolvedCondition
  context: ConditionContext
}

/** Reads a page of the contacts of an audience, in the order of their IDs. */
export async function audiencePage(
  em: EntityManager,
  { condition, context }: Audience,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const parameters: unknown[] = [context.workspaceId, afterId, limit]
  const where = conditionSql(condition, parameters, context)
  const rows = await sql<{ id: string }>(
    em,
    `select id from contacts contact where workspace_id = $1::uuid and id > $2::uuid and ${where} order by id limit $3`,
    parameters,
  )
  return rows.map(({ id }) => id)
}

/** Counts the contacts of an audience. */
export async function countAudience(em: EntityManager, { condition, context }: Audience): Promise<number> {
  const parameters: unknown[] = [context.workspaceId]
  const where = conditionSql(condition, parameters, context)
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from contacts contact where workspace_id = $1::uuid and ${where}`,
    parameters,
  )
  return row!.count
}

interface ContactRow extends Omit<ContactState, 'tags' | 'lists' | 'consent' | 'events' | 'messages'> {
  tags: string[]
  lists: string[]
  suppressions: ContactState['consent']['suppressions']
  optOutListIds: string[]
  isUnconfirmed: boolean
}

/** The facts that a rehearsal needs beside those of the contact itself. */
export interface Wanted {
  /** The names of events, as `foldName` returns them. */
  eventNames: readonly string[]
  messages: boolean
}

/** Reads contacts of a workspace, with what conditions refer to. Contacts that are deleted in the meantime are left out. */
export async function readContacts(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
  wanted: Wanted,
): Promise<ContactState[]> {
  const rows = toObjects<ContactRow>(await sql(em, CONTACTS, [workspaceId, ids]))
  const events =
    wanted.eventNames.length === 0
      ? new Map<string, EventFact[]>()
      : byContact(toObjects<EventFact & OfContact>(await sql(em, EVENTS, [ids, wanted.eventNames, MAX_FACTS])))
  const messages = wanted.messages
    ? byContact(toObjects<MessageFact & OfContact>(await sql(em, MESSAGES, [workspaceId, ids, MAX_FACTS])))
    : new Map<string, MessageFact[]>()
  return rows.map(({ tags, lists, suppressions, optOutListIds, isUnconfirmed, ...contact }) => ({
    ...contact,
    tags: new Set(tags),
    lists: new Set(lists),
    consent: { suppressions, optOutListIds, isUnconfirmed },
    events: events.get(contact.id) ?? [],
    messages: messages.get(contact.id) ?? [],
  }))
}

interface OfContact {
  contactId: string
}

function byContact<Fact extends OfContact>(facts: readonly Fact[]): Map<string, Omit<Fact, 'contactId'>[]> {
  const found = new Map<string, Omit<Fact, 'contactId'>[]>()
  for (const { contactId, ...fact } of facts) {
    const known = found.get(contactId)
    if (known) known.push(fact)
    else found.set(contactId, [fact])
  }
  return found
}

const ms = (time: string) => `(extract(epoch from ${time}) * 1000)::float8`

const CONTACTS = `
select id, email, first_name, metadata, ${ms('created_at')} as created_at, ${ms('updated_at')} as updated_at,
  unconfirmed as is_unconfirmed,
  array(select tag_key from contact_tags where contact_id = contact.id) as tags,
  array(select list_id::text from list_members where contact_id = contact.id) as lists,
  array(
    select reason from suppressions
    where workspace_id = contact.workspace_id and address_hash = address_hash(contact.workspace_id, contact.email_key)
  ) as suppressions,
  array(select list_id::text from list_opt_outs where contact_id = contact.id) as opt_out_list_ids
from contacts contact where workspace_id = $1::uuid and id = any($2::uuid[]) order by id`

const EVENTS = `
select event.* from unnest($1::uuid[]) wanted(id)
cross join unnest($2::text[]) named(name)
cross join lateral (
  select id, contact_id, name_key as name, data, ${ms('created_at')} as at from trigger_events
  where contact_id = wanted.id and type = 'EVENT' and name_key = named.name order by created_at desc limit $3
) event order by event.at`

const MESSAGES = `
select message.* from unnest($2::uuid[]) wanted(id)
cross join lateral (
  select contact_id, step_id, automation_id, campaign_id, status, ${ms('created_at')} as at,
    ${ms('opened_at')} as opened_at, ${ms('clicked_at')} as clicked_at,
    exists (select from bounces where message_id = messages.id and kind in ('HARD', 'SOFT', 'BLOCKED')) as has_bounced
  from messages where contact_id = wanted.id and workspace_id = $1::uuid order by created_at desc limit $3
) message`

/** The most recent enrollment of a contact in an automation. Times are milliseconds since 1970. */
export interface LastEnrollment {
  enrolledAt: number
  isActive: boolean
}

/** Reads the most recent enrollments of contacts in an automation that began before a time, by contact. */
export async function readLastEnrollments(
  em: EntityManager,
  automationId: string,
  contactIds: readonly string[],
  before: number,
): Promise<Map<string, LastEnrollment>> {
  const rows = await sql(
    em,
    `select distinct on (contact_id) contact_id, ${ms('enrolled_at')} as enrolled_at, coalesce(ended_at > to_timestamp($3::float8 / 1000), true) as is_active
     from enrollments where automation_id = $1::uuid and contact_id = any($2::uuid[])
       and enrolled_at < to_timestamp($3::float8 / 1000)
     order by contact_id, is_active desc, enrolled_at desc`,
    [automationId, contactIds, before],
  )
  const found = toObjects<LastEnrollment & OfContact>(rows)
  return new Map(found.map(({ contactId, ...enrollment }) => [contactId, enrollment]))
}

/** Reads what would have started an automation since a time, by contact, oldest first. */
export async function readOccurrences(
  em: EntityManager,
  contactIds: readonly string[],
  of: { automationId: string; trigger: Trigger; triggerKey: string; since: number },
): Promise<Map<string, EventFact[]>> {
  const rows = await sql(
    em,
    `select event.* from unnest($1::uuid[]) wanted(id)
     cross join lateral (
       select id, contact_id, coalesce(name_key, name) as name, data, ${ms('created_at')} as at from trigger_events
       where contact_id = wanted.id and type = $2 and coalesce(name_key, name) = $3
         and created_at >= to_timestamp($4::float8 / 1000)
         -- Each automation has its own occurrences of dates and segments.
         and (type not in ('DATE', 'SEGMENT_ENTERED') or automation_ids @> array[$5::uuid])
       order by created_at limit $6
     ) event order by event.at`,
    [contactIds, of.trigger, of.triggerKey, of.since, of.automationId, MAX_FACTS],
  )
  return byContact(toObjects<EventFact & OfContact>(rows))
}

/** Reads the IDs of the lists that a contact joins without a confirmation. */
export async function readOpenLists(em: EntityManager, workspaceId: string): Promise<Set<string>> {
  const rows = await sql<{ id: string }>(
    em,
    'select id from lists where workspace_id = $1::uuid and not double_opt_in',
    [workspaceId],
  )
  return new Set(rows.map(({ id }) => id))
}
