import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { listIdOfTrigger } from '../triggers/index.ts'
import { recordWebhookFacts } from '../webhooks/index.ts'
import type { MembershipState } from './membership.ts'

/** A contact and a list. */
export interface ListAndContact {
  listId: string
  contactId: string
}

export interface Candidate extends ListAndContact {
  emailKey: string
}

/** An advisory lock for each list, in one order. */
const LIST_KEY = `hashtextextended('list ' || id::text, 0)`

/**
 * Locks lists for contacts to join, and reads whether they require confirmation.
 *
 * Race: a request switches double opt-in on while another one adds contacts. Guard: the switch takes the advisory lock alone, and
 * joining shares it, so every contact either is added before the switch or must confirm after it. A row lock would starve the
 * switch: joining requests share it, and more keep arriving. The shared row lock keeps the list from being deleted. Test: "asks
 * every contact who joins after double opt-in was turned on" in test/consent/double-opt-in.test.ts.
 *
 * @returns those of the lists that exist in the workspace
 */
export async function lockListsToJoin(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, { doubleOptIn: boolean }>> {
  if (ids.length === 0) return new Map()
  await sql(
    em,
    `select pg_advisory_xact_lock_shared(${LIST_KEY}) from (select id from unnest($1::uuid[]) id order by id) lists`,
    [ids],
  )
  const rows = await sql<{ id: string; double_opt_in: boolean }>(
    em,
    `select id, double_opt_in from lists where workspace_id = $1::uuid and id = any($2::uuid[]) order by id for key share`,
    [workspaceId, ids],
  )
  return new Map(rows.map(({ id, double_opt_in }) => [id, { doubleOptIn: double_opt_in }]))
}

/** Makes requests to join a list wait until the transaction ends, and waits for those in progress. */
export async function blockJoining(em: EntityManager, listId: string): Promise<void> {
  await sql(em, `select pg_advisory_xact_lock(${LIST_KEY}) from (select $1::uuid as id) list`, [listId])
}

interface StateRow {
  is_member: boolean
  has_opted_out: boolean
  request_id: string | null
  request_email_key: string | null
  is_recent: boolean
  list_count: number
  asks_today: number
}

/**
 * Reads the state for `planMembership`, in the order of the candidates. An earlier statement of the transaction locked the
 * contacts, so it does not change before the commit.
 */
export async function loadMemberships(
  em: EntityManager,
  workspaceId: string,
  candidates: readonly Candidate[],
): Promise<MembershipState[]> {
  if (candidates.length === 0) return []
  const rows = await sql<StateRow>(em, STATES, [
    workspaceId,
    candidates.map(({ listId }) => listId),
    candidates.map(({ contactId }) => contactId),
    candidates.map(({ emailKey }) => emailKey),
  ])
  const hasRecentRequest = (n: number) => rows[n]!.is_recent && rows[n]!.request_email_key === candidates[n]!.emailKey
  const withEmail = await findRequestsWithEmail(
    em,
    candidates.filter((_, n) => hasRecentRequest(n)),
  )
  return rows.map((row, n) => ({
    isMember: row.is_member,
    hasOptedOut: row.has_opted_out,
    request: requestIn(row, hasRecentRequest(n) && withEmail.has(keyOf(candidates[n]!))),
    listCount: row.list_count,
    asksToday: row.asks_today,
  }))
}

const requestIn = ({ request_id, request_email_key }: StateRow, wasAsked: boolean): MembershipState['request'] =>
  request_id === null ? null : { id: request_id, emailKey: request_email_key!, wasAsked }

const keyOf = ({ listId, contactId }: ListAndContact): string => `${listId} ${contactId}`

const STATES = `
select member.contact_id is not null as is_member,
  exists (
    select from list_opt_outs where list_id = item.list_id and contact_id = item.contact_id
  ) as has_opted_out,
  request.id as request_id, request.email_key as request_email_key,
  coalesce(request.requested_at >= now() - interval '24 hours', false) as is_recent,
  (select count(*)::integer from list_members where contact_id = item.contact_id) as list_count,
  (
    select count(*)::integer from confirmation_emails
    where list_id = item.list_id and at > now() - interval '1 day'
      and address_hash = address_hash($1::uuid, item.email_key)
  ) as asks_today
from unnest($2::uuid[], $3::uuid[], $4::text[]) with ordinality as item(list_id, contact_id, email_key, n)
left join list_members member on member.list_id = item.list_id and member.contact_id = item.contact_id
left join confirmation_requests request on request.list_id = item.list_id and request.contact_id = item.contact_id
order by item.n`

/**
 * Finds the requests whose confirmation email was sent or is about to be. A request whose email was suppressed, or whose
 * automation was paused or did not start, may be repeated immediately.
 */
async function findRequestsWithEmail(em: EntityManager, requests: readonly ListAndContact[]): Promise<Set<string>> {
  if (requests.length === 0) return new Set()
  const rows = await sql<{ list_id: string; contact_id: string }>(em, REQUESTS_WITH_EMAIL, [
    requests.map(({ listId }) => listId),
    requests.map(({ contactId }) => contactId),
  ])
  return new Set(rows.map((row) => keyOf({ listId: row.list_id, contactId: row.contact_id })))
}

const NOT_SENT = `('SUPPRESSED', 'FAILED', 'DISMISSED')`

/** SQL conditions on a row `attempt`: a request, and one of the enrollments that it started. */
const HAS_UNSENT_EMAIL = `exists (
    select from messages where enrollment_id = attempt.id and status in ${NOT_SENT} and created_at > asked_at
  )`
const HAS_SENT_EMAIL = `exists (
    select from messages where enrollment_id = attempt.id and status not in ${NOT_SENT}
      and created_at > requested_at - interval '1 minute'
  )`
const IS_BEFORE_EMAIL = `status = 'ACTIVE' and not exists (select from messages where enrollment_id = attempt.id)`
const HAS_PENDING_START = `exists (
    select from outbox join automations on automations.id = outbox.automation_id
    where outbox.kind = 'START' and outbox.contact_id = attempt.contact_id
      and automations.trigger = 'LIST_REQUESTED' and automations.trigger_key = attempt.list_id::text
  )`

const REQUESTS_WITH_EMAIL = `
with attempt as (
  select request.list_id, request.contact_id, request.requested_at, request.asked_at, enrollment.id, enrollment.status
  from unnest($1::uuid[], $2::uuid[]) as item(list_id, contact_id)
  join confirmation_requests request using (list_id, contact_id)
  left join (enrollments enrollment join automations automation on automation.id = enrollment.automation_id)
    on enrollment.contact_id = request.contact_id and ${listIdOfTrigger('LIST_REQUESTED')} = request.list_id::text
)
select list_id, contact_id from attempt
group by list_id, contact_id, asked_at, requested_at
-- For a minute, the automation may be about to start.
having (asked_at > now() - interval '1 minute' and not bool_or(${HAS_UNSENT_EMAIL}))
  or ${HAS_PENDING_START}
  or bool_or(${HAS_SENT_EMAIL})
  or bool_or(${IS_BEFORE_EMAIL})`

/** Adds members, and deletes their opt-outs and pending confirmations of the list. The contacts must be locked. */
export async function addMembers(
  em: EntityManager,
  workspaceId: string,
  members: readonly ListAndContact[],
): Promise<void> {
  if (members.length === 0) return
  const pairs = [members.map(({ listId }) => listId), members.map(({ contactId }) => contactId)]
  const joined = await sql<ListAndContact>(
    em,
    `insert into list_members (list_id, contact_id)
     select * from unnest($1::uuid[], $2::uuid[]) as item(list_id, contact_id) order by list_id, contact_id
     on conflict do nothing returning ${PAIR}`,
    pairs,
  )
  const those = (table: string) =>
    `using unnest($1::uuid[], $2::uuid[]) as item(list_id, contact_id)
     where ${table}.list_id = item.list_id and ${table}.contact_id = item.contact_id`
  await sql(em, `delete from confirmation_requests ${those('confirmation_requests')}`, pairs)
  const resubscribed = await sql<ListAndContact>(
    em,
    `delete from list_opt_outs ${those('list_opt_outs')} returning list_opt_outs.list_id as "listId", list_opt_outs.contact_id as "contactId"`,
    pairs,
  )
  await recordWebhookFacts(em, [
    ...factsOf('list.joined', workspaceId, joined),
    ...factsOf('contact.resubscribed', workspaceId, resubscribed),
  ])
}

/** SQL: the columns of a `ListAndContact`. */
const PAIR = 'list_id as "listId", contact_id as "contactId"'

const factsOf = (
  type: 'list.joined' | 'list.left' | 'contact.unsubscribed' | 'contact.resubscribed',
  workspaceId: string,
  pairs: readonly ListAndContact[],
) => pairs.map(({ listId, contactId }) => ({ type, workspaceId, listId, contactId }))

export interface RequestWrite extends Candidate {
  id: string
  /** Whether an automation is started that sends the confirmation email. */
  isAsked: boolean
}

/** Stores pending confirmations. The contacts must be locked. */
export async function writeRequests(em: EntityManager, requests: readonly RequestWrite[]): Promise<void> {
  if (requests.length === 0) return
  await sql(
    em,
    `insert into confirmation_requests (list_id, contact_id, id, email_key, asked_at)
     select list_id, contact_id, id, email_key, case when is_asked then now() end
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::boolean[])
       as item(list_id, contact_id, id, email_key, is_asked)
     order by list_id, contact_id
     on conflict (list_id, contact_id) do update
       set id = excluded.id, email_key = excluded.email_key, requested_at = now(), asked_at = excluded.asked_at`,
    [
      requests.map(({ listId }) => listId),
      requests.map(({ contactId }) => contactId),
      requests.map(({ id }) => id),
      requests.map(({ emailKey }) => emailKey),
      requests.map(({ isAsked }) => isAsked),
    ],
  )
}

/** Finds a pending confirmation by the ID in the link. */
export async function findRequest(
  em: EntityManager,
  { contactId, requestId, emailKey }: { contactId: string; requestId: string; emailKey: string },
): Promise<{ listId: string; isMember: boolean } | undefined> {
  const [row] = await sql<{ list_id: string; is_member: boolean }>(
    em,
    `select request.list_id, member.contact_id is not null as is_member
     from confirmation_requests request
     left join list_members member on member.list_id = request.list_id and member.contact_id = request.contact_id
     where request.id = $2::uuid and request.contact_id = $1::uuid and request.email_key = $3::text`,
    [contactId, requestId, emailKey],
  )
  return row && { listId: row.list_id, isMember: row.is_member }
}

/** Removes contacts and their pending confirmations from a list. @returns the number of contacts removed */
export async function removeMembers(
  em: EntityManager,
  workspaceId: string,
  listId: string,
  contactIds: readonly string[],
): Promise<number> {
  const parameters = [listId, contactIds]
  const members = await sql<ListAndContact>(
    em,
    `delete from list_members where list_id = $1::uuid and contact_id = any($2::uuid[]) returning ${PAIR}`,
    parameters,
  )
  const pending = await sql<ListAndContact>(
    em,
    `delete from confirmation_requests where list_id = $1::uuid and contact_id = any($2::uuid[]) returning ${PAIR}`,
    parameters,
  )
  await recordWebhookFacts(em, factsOf('list.left', workspaceId, members))
  return new Set([...members, ...pending].map(({ contactId }) => contactId)).size
}

/** Removes the members that a list still has. The caller has locked the list's row. */
export async function removeAllMembers(em: EntityManager, workspaceId: string, listId: string): Promise<void> {
  const members = await sql<ListAndContact>(em, `delete from list_members where list_id = $1::uuid returning ${PAIR}`, [
    listId,
  ])
  await recordWebhookFacts(em, factsOf('list.left', workspaceId, members))
}

/** Records opt-outs from lists. Only the contact, or a request with `resubscribe`, adds them again. */
export async function optOutOfLists(
  em: EntityManager,
  workspaceId: string,
  contactId: string,
  listIds: readonly string[],
): Promise<void> {
  if (listIds.length === 0) return
  const parameters = [contactId, listIds]
  const left = await sql<ListAndContact>(
    em,
    `delete from list_members where contact_id = $1::uuid and list_id = any($2::uuid[]) returning ${PAIR}`,
    parameters,
  )
  const optedOut = await sql<ListAndContact>(
    em,
    `insert into list_opt_outs (list_id, contact_id) select list_id, $1::uuid from unnest($2::uuid[]) list_id
     on conflict do nothing returning ${PAIR}`,
    parameters,
  )
  await recordWebhookFacts(em, [
    ...factsOf('list.left', workspaceId, left),
    ...factsOf('contact.unsubscribed', workspaceId, optedOut),
  ])
}

/** Reads the times of opt-outs from a list, as text. */
export async function optOutTimes(
  em: EntityManager,
  listId: string,
  contactIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ contact_id: string; created_at: string }>(
    em,
    'select contact_id, created_at::text from list_opt_outs where list_id = $1::uuid and contact_id = any($2::uuid[])',
    [listId, contactIds],
  )
  return new Map(rows.map(({ contact_id, created_at }) => [contact_id, created_at]))
}

/** Deletes the pending confirmations of contacts. The contacts must be locked. */
export async function deleteRequests(em: EntityManager, contactIds: readonly string[]): Promise<void> {
  await sql(em, 'delete from confirmation_requests where contact_id = any($1::uuid[])', [contactIds])
}

/** Returns some of the contacts that are in a list or have a pending confirmation. */
export async function someContactsOf(em: EntityManager, listId: string, limit: number): Promise<string[]> {
  const rows = await sql<{ contact_id: string }>(
    em,
    `(select contact_id from list_members where list_id = $1::uuid limit $2)
     union
     (select contact_id from confirmation_requests where list_id = $1::uuid limit $2)
     limit $2`,
    [listId, limit],
  )
  return rows.map(({ contact_id }) => contact_id)
}

/** Deletes counts of confirmation emails that are older than a day. @returns the number deleted */
export async function deleteOldConfirmationEmails(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from confirmation_emails where id in (
       select id from confirmation_emails where at < now() - interval '1 day' order by at limit $1 for update skip locked
     ) returning id`,
    [limit],
  )
  return rows.length
}
