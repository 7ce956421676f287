import { addressIdOf, isAddressId } from '../contacts/index.ts'
import type { MessageIdBeginning } from '../signed-links/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { MAY_BE_SENT, RECIPIENT } from '../messages/index.ts'
import { isAfterCursor, microsOf, type Cursor, toItems } from '../platform/db/newest-page.ts'
import { FRESH_READ, sql, toObjects } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import { Bounce, FeedbackCall, FeedbackSource } from './entities.ts'
import { type BounceCategory, type BounceKind, COUNTED_CATEGORIES } from './categories.ts'

/** A message that a bounce refers to. */
export interface BouncedMessage {
  id: string
  workspaceId: string
  contactId: string
  /** The enrollment, campaign or email that it belongs to. */
  originId: string
  /** The address that it was sent to. */
  recipient: string
  /** The message is in flight: its outcome is not known yet. */
  isUnderWay: boolean
  createdAt: Date
}

/** `isIdentified`: the report names the message. Otherwise, it is the last one to the address. */
export type ReportedMessage = BouncedMessage & { isIdentified: boolean }

const BOUNCED = `message.id, message.workspace_id, message.contact_id,
  coalesce(message.enrollment_id, message.campaign_id, message.id) as origin_id,
  ${RECIPIENT} as recipient,
  message.status = 'SENDING' as is_under_way, message.created_at`
/** Mail servers give up after about five days (RFC 5321, section 4.5.4.1). */
const UNDELIVERED = `message.delivered_at is null and message.created_at > now() - interval '5 days'`
/** Messages whose recipient is known. One to an address without a contact stores it when it is final. */
const WITH_RECIPIENT = `from messages message left join contacts contact on contact.id = message.contact_id`
const IS_KNOWN = '(contact.id is not null or message.recipient is not null)'

/** Finds the newest message that may have been sent and matches a condition. */
async function findBounced(em: EntityManager, where: string, parameters: unknown[]): Promise<BouncedMessage[]> {
  const rows = await sql(
    em,
    `select ${BOUNCED} ${WITH_RECIPIENT} where ${MAY_BE_SENT} and ${IS_KNOWN} and ${where}
     order by message.created_at desc, message.id desc limit 1`,
    parameters,
  )
  return toObjects<BouncedMessage>(rows, 'createdAt')
}

/** Finds the message of a return path. */
export async function findByReturnPath(
  em: EntityManager,
  { contactId, messageIdBegins }: MessageIdBeginning,
): Promise<BouncedMessage | undefined> {
  const where = `message.contact_id = $1::uuid and starts_with(message.message_id, '<' || $2::text)`
  return (await findBounced(em, where, [contactId, messageIdBegins]))[0]
}

/**
 * Finds a message whose last attempt the mail server rejected, with its response. The retry of an UNCONFIRMED message leaves it
 * UNCONFIRMED if it is rejected.
 */
export async function findRejected(
  em: EntityManager,
  messageId: string,
): Promise<(BouncedMessage & { response: string }) | undefined> {
  const rows = await sql(
    em,
    `select ${BOUNCED}, message.error as response ${WITH_RECIPIENT}
     where message.id = $1::uuid and message.status in ('FAILED', 'UNCONFIRMED') and message.error is not null and ${IS_KNOWN}`,
    [messageId],
  )
  return toObjects<BouncedMessage & { response: string }>(rows, 'createdAt')[0]
}

/** Finds the last message of an enrollment or a campaign to a contact. */
export async function findByOrigin(
  em: EntityManager,
  contactId: string,
  originId: string,
): Promise<BouncedMessage | undefined> {
  const where = `message.contact_id = $1::uuid and (message.enrollment_id = $2::uuid or message.campaign_id = $2::uuid)`
  return (await findBounced(em, where, [contactId, originId]))[0]
}

/**
 * Finds a message to an address, in any spelling and even if it is a former address of the contact: the message with the
 * Message-ID, if it is one of Dripline's, otherwise the last one.
 *
 * @param options.isUndelivered only messages of the last days that were not reported as delivered
 */
export async function findByRecipient(
  em: EntityManager,
  workspaceId: string,
  key: string,
  { messageId, isOurs, isUndelivered }: { messageId: string | null; isOurs: boolean; isUndelivered: boolean },
): Promise<BouncedMessage | undefined> {
  const found: BouncedMessage[] = []
  // One query per contact: a former owner may have many messages to other addresses.
  for (const contactId of [...(await findOwners(em, workspaceId, key)), addressIdOf(workspaceId, key)]) {
    const spellings = (await recipientsOf(em, contactId)).filter((recipient) => emailKey(recipient) === key)
    const [last] = await findBounced(
      em,
      `message.contact_id = $1::uuid and (message.message_id is not distinct from $2::text or not $3::boolean)
       and ${RECIPIENT} = any($4::text[])
       and (not $5::boolean or ${UNDELIVERED})`,
      [contactId, messageId, isOurs, spellings, isUndelivered],
    )
    if (last) found.push(last)
  }
  return found.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0]
}

/** Checks whether the Message-ID belongs to a message of another workspace to the address. */
export async function belongsToOtherWorkspace(
  em: EntityManager,
  workspaceId: string,
  key: string,
  messageId: string,
): Promise<boolean> {
  const rows = await sql(
    em,
    `select from workspaces workspace
     cross join lateral (
       select id from contacts where workspace_id = workspace.id and email_key = $2
       union select contact_id from former_addresses where workspace_id = workspace.id and email_key = $2
     ) owner
     join messages message on message.contact_id = owner.id
     where workspace.id <> $1::uuid and message.message_id = $3 limit 1`,
    [workspaceId, key, messageId],
  )
  return rows.length > 0
}

/** Lists the addresses at which a contact was emailed, as spelled at the time. */
async function recipientsOf(em: EntityManager, contactId: string): Promise<string[]> {
  const rows = await sql<{ recipient: string }>(
    em,
    `select distinct ${RECIPIENT} as recipient ${WITH_RECIPIENT}
     where ${MAY_BE_SENT} and ${IS_KNOWN} and message.contact_id = $1::uuid`,
    [contactId],
  )
  return rows.map(({ recipient }) => recipient)
}

/** Maximum number of former owners of an address to check, latest first. */
const MAX_OWNERS = 20

/** Lists the contacts that have or had an address. */
async function findOwners(em: EntityManager, workspaceId: string, key: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from contacts where workspace_id = $1::uuid and email_key = $2::text
     union
     (select contact_id from former_addresses where workspace_id = $1::uuid and email_key = $2::text
      group by contact_id order by max(until) desc limit ${MAX_OWNERS})`,
    [workspaceId, key],
  )
  return rows.map(({ id }) => id)
}

export interface BounceWrite {
  id: string
  kind: BounceKind
  category: BounceCategory | null
  status: string | null
  diagnostic: string | null
  providerVerdict: string | null
  source: string
  sourceId: string | null
  /** The bounce is about an address that the mail was forwarded to, so it does not count. */
  isOfOthers: boolean
}

/**
 * Inserts a bounce: once per message and kind, in addition to a rejection before a retry, and once per report.
 * @returns whether it is new
 */
export async function insertBounce(
  em: EntityManager,
  { workspaceId, contactId: recipientId, id: messageId }: BouncedMessage,
  { isOfOthers: counted, ...bounce }: BounceWrite,
): Promise<boolean> {
  const contactId = isAddressId(recipientId) ? null : recipientId
  const row = { ...bounce, workspaceId, contactId, messageId, counted, createdAt: new Date() }
  const inserted = await em
    .createQueryBuilder(Bounce)
    .insert(row)
    .onConflict()
    .ignore()
    .returning('id')
    .execute<{ id: string }[]>('all')
  return inserted.length > 0
}

/**
 * Records that a contact, who resubscribed after unsubscribing at their provider, unsubscribed there again. The provider reports
 * it under a new ID; a report under a known one is a repetition.
 *
 * @returns whether the report is new
 */
export async function renewOptOut(
  em: EntityManager,
  { workspaceId, id: messageId }: BouncedMessage,
  { source, sourceId }: Pick<BounceWrite, 'source' | 'sourceId'>,
): Promise<boolean> {
  if (sourceId === null || (await em.count(Bounce, { workspaceId, source, sourceId })) > 0) return false
  if (!(await insertWebhookCall(em, workspaceId, source, `UNSUBSCRIBE ${sourceId}`))) return false
  return (await em.nativeUpdate(Bounce, { messageId, kind: 'UNSUBSCRIBE' }, { createdAt: new Date() })) > 0
}

/** Maximum number of soft bounces of a series to read, newest last. */
const MAX_SERIES = 1_000

/**
 * Lists the current series of soft bounces of a full or inactive mailbox: those of the messages to the contact's address since the
 * last one that arrived. A message that failed for another reason neither ends the series nor counts. A bounce that already
 * suppressed the address does not count again.
 *
 * @param em a transaction that holds the contact's lock
 */
export async function findConsecutiveSoftBounces(
  em: EntityManager,
  contactId: string,
): Promise<{ id: string; sentAt: Date }[]> {
  return toObjects(await sql(em, CONSECUTIVE_SOFT_BOUNCES, [contactId, COUNTED_CATEGORIES, MAX_SERIES]), 'sentAt')
}

const CONSECUTIVE_SOFT_BOUNCES = `
with soft as (
  select bounce.id, message.id as message_id, message.created_at, lower(coalesce(message.recipient, '')) as recipient
  from bounces bounce join messages message on message.id = bounce.message_id
  where bounce.contact_id = $1::uuid and bounce.kind = 'SOFT' and bounce.category = any($2::text[]) and not bounce.counted
),
newest as (select * from soft order by created_at desc, message_id desc limit 1),
arrived as (
  select message.created_at, message.id from messages message, newest
  where message.contact_id = $1::uuid and message.status = 'SENT'
    and lower(coalesce(message.recipient, '')) = newest.recipient
    and (message.created_at, message.id) < (newest.created_at, newest.message_id)
    and not exists (select from bounces where message_id = message.id and kind in ('HARD', 'SOFT', 'BLOCKED'))
  order by message.created_at desc, message.id desc limit 1
)
select soft.id, soft.created_at as sent_at
from soft join newest on newest.recipient = soft.recipient left join arrived on true
where arrived.id is null or (soft.created_at, soft.message_id) > (arrived.created_at, arrived.id)
order by soft.created_at, soft.message_id limit $3::integer`

export interface BounceRow {
  id: string
  contactId: string | null
  message: { id: string; messageId: string | null }
  kind: BounceKind
  category: BounceCategory | null
  status: string | null
  diagnostic: string | null
  providerVerdict: string | null
  source: string
  createdAt: Date
  place: Cursor
}

/** Lists a page of a workspace's bounces, newest first. */
export async function bouncePage(
  em: EntityManager,
  workspaceId: string,
  {
    kind,
    contactId,
    behind,
    limit,
  }: {
    kind?: string | undefined
    contactId?: string | undefined
    behind?: Cursor | undefined
    limit: number
  },
): Promise<BounceRow[]> {
  const rows = await sql(
    em,
    `select id, contact_id, message_id, (select message_id from messages where id = bounces.message_id) as header, kind, category, status,
       diagnostic, provider_verdict, source, created_at, ${microsOf('created_at')}
     from bounces
     where workspace_id = $1::uuid and ($2::text is null or kind = $2::text)
       and ($3::uuid is null or contact_id = $3::uuid)
       and ${isAfterCursor('created_at', '$4', '$5')}
     order by created_at desc, id desc limit $6`,
    [workspaceId, kind ?? null, contactId ?? null, behind?.micros ?? null, behind?.id ?? null, limit],
  )
  const items = toItems<Omit<BounceRow, 'message'> & { messageId: string; header: string | null }>(rows, 'createdAt')
  return items.map(({ messageId: id, header: messageId, ...bounce }) => ({ ...bounce, message: { id, messageId } }))
}

/** Returns the encrypted credential that authenticates a provider's calls for a workspace; undefined if none is set. */
export async function readCredential(
  em: EntityManager,
  workspaceId: string,
  provider: string,
): Promise<Uint8Array | undefined> {
  return (await em.findOne(FeedbackSource, { workspaceId, provider }, FRESH_READ))?.credential
}

/** Stores the time of a provider's last call, at most once a minute. */
export async function updateLastUsed(em: EntityManager, workspaceId: string, provider: string): Promise<void> {
  const aMinuteAgo = new Date(Date.now() - 60_000)
  const isOld = { $or: [{ lastUsedAt: null }, { lastUsedAt: { $lt: aMinuteAgo } }] }
  await em.nativeUpdate(FeedbackSource, { workspaceId, provider, ...isOld }, { lastUsedAt: new Date() })
}

/** Checks whether a call has already been processed. */
export const isKnownWebhookCall = async (
  em: EntityManager,
  workspaceId: string,
  provider: string,
  id: string,
): Promise<boolean> => (await em.count(FeedbackCall, { workspaceId, provider, id })) > 0

/** Records that a call was processed. @returns whether it is new */
export async function insertWebhookCall(
  em: EntityManager,
  workspaceId: string,
  provider: string,
  id: string,
): Promise<boolean> {
  const call = { workspaceId, provider, id, at: new Date() }
  const inserted = await em
    .createQueryBuilder(FeedbackCall)
    .insert(call)
    .onConflict()
    .ignore()
    .returning('id')
    .execute<{ id: string }[]>('all')
  return inserted.length > 0
}

/** A bounce of one message. */
export type MessageBounce = Pick<Bounce, 'kind' | 'diagnostic' | 'createdAt'>

/** Lists the bounces of a message, oldest first. */
export const bouncesOf = (em: EntityManager, messageId: string): Promise<MessageBounce[]> =>
  em.find(Bounce, { messageId }, { ...FRESH_READ, orderBy: { createdAt: 'asc' } })

/** Deletes calls that providers no longer repeat. @returns how many */
export async function deleteOldWebhookCalls(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from feedback_calls where (workspace_id, provider, id) in (
       select workspace_id, provider, id from feedback_calls where at < now() - interval '3 days' limit $1::integer
     ) returning id`,
    [limit],
  )
  return rows.length
}
