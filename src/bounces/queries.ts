import type { MessageIdBeginning } from '../signed-links/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { RECIPIENT } from '../messages/index.ts'
import { isBehind, microsOf, type Place } from '../platform/db/newest-page.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import { emailKey } from '../platform/email-address.ts'
import type { BounceKind } from './verdict.ts'

/** A message that something may have come back of. */
export interface Bounced {
  id: string
  workspaceId: string
  contactId: string
  /** To whom it went. */
  recipient: string
  /** Whether what became of its hand-over is not in the ledger yet. */
  isUnderWay: boolean
  createdAt: Date
}

interface BouncedRow {
  id: string
  workspace_id: string
  contact_id: string
  recipient: string
  is_under_way: boolean
  created_at: string
}

/** What may have left: of nothing else can anything come back. */
const LEFT = `message.status in ('SENT', 'UNCONFIRMED', 'SENDING', 'DISMISSED')`
const BOUNCED = `message.id, message.workspace_id, message.contact_id,
  ${RECIPIENT} as recipient,
  message.status = 'SENDING' as is_under_way, message.created_at`
const OF_CONTACT = `from messages message join contacts contact on contact.id = message.contact_id`

/** The last ones first. */
async function findBounced(em: EntityManager, where: string, parameters: unknown[]): Promise<Bounced[]> {
  const rows = await sql<BouncedRow>(
    em,
    `select ${BOUNCED} ${OF_CONTACT} where ${LEFT} and ${where}
     order by message.created_at desc, message.id desc limit 1`,
    parameters,
  )
  return rows.map((row) => ({
    id: row.id,
    workspaceId: row.workspace_id,
    contactId: row.contact_id,
    recipient: row.recipient,
    isUnderWay: row.is_under_way,
    createdAt: toDate(row.created_at),
  }))
}

/** The message that a return path is of. */
export async function findByReturnPath(
  em: EntityManager,
  { contactId, messageIdBegins }: MessageIdBeginning,
): Promise<Bounced | undefined> {
  const where = `message.contact_id = $1::uuid and starts_with(message.message_id, '<' || $2::text)`
  return (await findBounced(em, where, [contactId, messageIdBegins]))[0]
}

/** The last message to a contact of an enrollment, or of a campaign. */
export async function findByOrigin(
  em: EntityManager,
  contactId: string,
  originId: string,
): Promise<Bounced | undefined> {
  const where = `message.contact_id = $1::uuid and (message.enrollment_id = $2::uuid or message.campaign_id = $2::uuid)`
  return (await findBounced(em, where, [contactId, originId]))[0]
}

/**
 * A workspace's message to an address, in whatever spelling, and whether its contact has that still: the one of a Message-ID, where that is
 * told and ours; else the last one.
 */
export async function findByRecipient(
  em: EntityManager,
  workspaceId: string,
  key: string,
  { messageId, isOurs }: { messageId: string | null; isOurs: boolean },
): Promise<Bounced | undefined> {
  const found: Bounced[] = []
  // Of each by themselves: who had it before may have got very many since, elsewhere.
  for (const contactId of await whoeverHad(em, workspaceId, key)) {
    const spellings = (await recipientsOf(em, contactId)).filter((recipient) => emailKey(recipient) === key)
    const [last] = await findBounced(
      em,
      `contact.id = $1::uuid and (message.message_id is not distinct from $2::text or not $3::boolean)
       and ${RECIPIENT} = any($4::text[])`,
      [contactId, messageId, isOurs, spellings],
    )
    if (last) found.push(last)
  }
  return found.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0]
}

/** Whether a message to an address is another workspace's, by its Message-ID. */
export async function isOfAnother(
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

/** At which addresses somebody was mailed, as they were written. */
async function recipientsOf(em: EntityManager, contactId: string): Promise<string[]> {
  const rows = await sql<{ recipient: string }>(
    em,
    `select distinct ${RECIPIENT} as recipient ${OF_CONTACT} where ${LEFT} and message.contact_id = $1::uuid`,
    [contactId],
  )
  return rows.map(({ recipient }) => recipient)
}

/** So many are looked at who have an address, or had it last. */
const MOST_OWNERS = 20

/** Whoever has an address, and had it. */
async function whoeverHad(em: EntityManager, workspaceId: string, key: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from contacts where workspace_id = $1::uuid and email_key = $2::text
     union
     (select contact_id from former_addresses where workspace_id = $1::uuid and email_key = $2::text
      group by contact_id order by max(until) desc limit ${MOST_OWNERS})`,
    [workspaceId, key],
  )
  return rows.map(({ id }) => id)
}

export interface BounceWrite {
  id: string
  kind: BounceKind
  status: string | null
  diagnostic: string | null
  source: string
  sourceId: string | null
  /** Whether it says nothing of the address: it is not counted. */
  isOfOthers: boolean
}

/** Writes what came back of a message, once. @returns whether it is new */
export async function insertBounce(em: EntityManager, of: Bounced, bounce: BounceWrite): Promise<boolean> {
  const rows = await sql(
    em,
    `insert into bounces (id, workspace_id, contact_id, message_id, kind, status, diagnostic, source, source_id, counted)
     values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5, $6, $7, $8, $9, $10::boolean) on conflict do nothing returning id`,
    [
      bounce.id,
      of.workspaceId,
      of.contactId,
      of.id,
      bounce.kind,
      bounce.status,
      bounce.diagnostic,
      bounce.source,
      bounce.sourceId,
      bounce.isOfOthers,
    ],
  )
  return rows.length > 0
}

/**
 * Whoever unsubscribes, is back, and unsubscribes once more has said something new, which its provider knows by another name; told again
 * by any name that was told, it is nothing.
 *
 * @returns whether that is so
 */
export async function renewUnsubscribing(
  em: EntityManager,
  of: Bounced,
  { source, sourceId }: Pick<BounceWrite, 'source' | 'sourceId'>,
): Promise<boolean> {
  if (sourceId === null) return false
  const rows = await sql(
    em,
    `with told as (
       insert into feedback_calls (workspace_id, provider, id)
       select $1::uuid, $2, 'UNSUBSCRIBE ' || $3 where not exists (
         select from bounces where workspace_id = $1::uuid and source = $2 and source_id = $3
       )
       on conflict do nothing returning id
     )
     update bounces set created_at = now() from told where message_id = $4::uuid and kind = 'UNSUBSCRIBE' returning bounces.id`,
    [of.workspaceId, source, sourceId, of.id],
  )
  return rows.length > 0
}

/**
 * Counts soft bounces in a row, of the last messages to an address up to the last one that has one: an email that arrived ends a row, and
 * so does a bounce that was counted before. Where they are enough, they are counted.
 *
 * @param em a transaction in which the contact is locked
 * @returns whether they are enough
 */
export async function countInARow(em: EntityManager, contactId: string, enough: number): Promise<boolean> {
  const rows = await sql(
    em,
    `with soft as (
       select bounce.id, bounce.message_id, message.created_at, lower(coalesce(message.recipient, '')) as recipient
       from bounces bounce join messages message on message.id = bounce.message_id
       where bounce.contact_id = $1::uuid and bounce.kind = 'SOFT' and not bounce.counted
     ),
     newest as (select created_at, message_id, recipient from soft order by created_at desc, message_id desc limit 1),
     last as (
       select message.id from messages message, newest
       where message.contact_id = $1::uuid and lower(coalesce(message.recipient, '')) = newest.recipient
         -- What was blocked has neither arrived nor said anything of the mailbox.
         and (message.id in (select message_id from soft)
           or not exists (select from bounces where message_id = message.id and kind = 'BLOCKED'))
         and (message.status = 'SENT' or message.id in (select message_id from soft))
         and (message.created_at, message.id) <= (newest.created_at, newest.message_id)
       order by message.created_at desc, message.id desc limit $2::integer
     ),
     in_a_row as (select soft.id from last join soft on soft.message_id = last.id)
     update bounces set counted = true
     where id in (select id from in_a_row) and (select count(*) from in_a_row) >= $2::integer
     returning id`,
    [contactId, enough],
  )
  return rows.length > 0
}

export interface BounceRow {
  id: string
  contactId: string
  message: { id: string; messageId: string | null }
  kind: BounceKind
  status: string | null
  diagnostic: string | null
  source: string
  createdAt: Date
  place: Place
}

/** A page of what came back of a workspace's mail, newest first. */
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
    behind?: Place | undefined
    limit: number
  },
): Promise<BounceRow[]> {
  const rows = await sql<{
    id: string
    contact_id: string
    message_id: string
    header: string | null
    kind: BounceKind
    status: string | null
    diagnostic: string | null
    source: string
    created_at: string
    micros: string
  }>(
    em,
    `select id, contact_id, message_id, (select message_id from messages where id = bounces.message_id) as header, kind, status,
       diagnostic, source, created_at, ${microsOf('created_at')}
     from bounces
     where workspace_id = $1::uuid and ($2::text is null or kind = $2::text)
       and ($3::uuid is null or contact_id = $3::uuid)
       and ${isBehind('created_at', '$4', '$5')}
     order by created_at desc, id desc limit $6`,
    [workspaceId, kind ?? null, contactId ?? null, behind?.micros ?? null, behind?.id ?? null, limit],
  )
  return rows.map((row) => ({
    id: row.id,
    contactId: row.contact_id,
    message: { id: row.message_id, messageId: row.header },
    kind: row.kind,
    status: row.status,
    diagnostic: row.diagnostic,
    source: row.source,
    createdAt: toDate(row.created_at),
    place: { micros: row.micros, id: row.id },
  }))
}

/** By what a provider's calls for a workspace are known, encrypted; `undefined`: by nothing, and they are not heard. */
export async function readCredential(
  em: EntityManager,
  workspaceId: string,
  provider: string,
): Promise<Uint8Array | undefined> {
  const [row] = await sql<{ credential: Uint8Array }>(
    em,
    'select credential from feedback_sources where workspace_id = $1::uuid and provider = $2',
    [workspaceId, provider],
  )
  return row?.credential
}

/** Says that a provider has called. Once a minute is enough. */
export async function sayHeard(em: EntityManager, workspaceId: string, provider: string): Promise<void> {
  await sql(
    em,
    `update feedback_sources set last_used_at = now()
     where workspace_id = $1::uuid and provider = $2
       and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
    [workspaceId, provider],
  )
}

/** Whether a call has been dealt with already, by what its provider knows it by. */
export async function isKnownCall(
  em: EntityManager,
  workspaceId: string,
  provider: string,
  id: string,
): Promise<boolean> {
  const rows = await sql(em, 'select from feedback_calls where workspace_id = $1::uuid and provider = $2 and id = $3', [
    workspaceId,
    provider,
    id,
  ])
  return rows.length > 0
}

/** Says that a call has been dealt with: once more, it says nothing. */
export async function sayCalled(em: EntityManager, workspaceId: string, provider: string, id: string): Promise<void> {
  await sql(
    em,
    `insert into feedback_calls (workspace_id, provider, id) values ($1::uuid, $2, $3) on conflict do nothing`,
    [workspaceId, provider, id],
  )
}

/** Forgets calls that nobody takes for new any more. @returns how many */
export async function forgetCalls(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from feedback_calls where (workspace_id, provider, id) in (
       select workspace_id, provider, id from feedback_calls where at < now() - interval '3 days' limit $1::integer
     ) returning id`,
    [limit],
  )
  return rows.length
}
