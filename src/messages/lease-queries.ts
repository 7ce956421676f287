/** Statements about leases: they are renewed, released and expire, and messages in flight are counted. */
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import { CHANGED } from './changes-queries.ts'
import { EXPIRE, IS_LIVE, LEASE_SECONDS, write } from './write-queries.ts'

/** Renews leases. @returns the claims that are still held by their owner */
export async function renewLeases(em: EntityManager, claims: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await preparedSql<{ claim: string }>(
    em,
    'renew-leases',
    `update messages set lease_until = clock_timestamp() + make_interval(secs => $2::float8)
     where claim = any($1::uuid[]) and ${IS_LIVE} returning claim`,
    [claims, LEASE_SECONDS],
  )
  return new Set(rows.map(({ claim }) => claim))
}

const RELEASE = `
update messages message set status = 'QUEUED', lease_until = null, message_id = null
from ahead where message.id = ahead.message_id and message.claim = ahead.claim and message.status = 'SENDING'
returning ${CHANGED}`

/**
 * Queues messages again whose claims their owner made ahead, and has not begun. It knows that even if a crash of Postgres emptied
 * `claims_ahead`. The number of attempts stays, so that an attempt that was prepared before this claim cannot change the message.
 */
export async function releaseAhead(
  em: EntityManager,
  claims: readonly { claim: string; messageId: string }[],
): Promise<void> {
  await write(
    em,
    // The join makes Postgres delete first, in the order of docs/lock-order.md.
    `with deleted as (delete from claims_ahead where claim = any($1::uuid[]) returning claim),
     ahead as (
       select given.* from unnest($1::uuid[], $2::uuid[]) as given (claim, message_id) left join deleted using (claim)
     )
     ${RELEASE}`,
    [claims.map(({ claim }) => claim), claims.map(({ messageId }) => messageId)],
  )
}

/** Seconds after which a claim that was made ahead does not begin any more: its owner releases it after two. */
const BEGINS_WITHIN_SECONDS = 5

/**
 * Queues messages again whose claims were made ahead by a process that has died. Long before their leases expire: a crash of Postgres
 * before that would make them UNCONFIRMED.
 */
async function releaseOverdueAhead(em: EntityManager): Promise<void> {
  await write(
    em,
    // Skips locked rows: an owner that was only slow begins or releases them.
    `with overdue as (
       select ahead.claim from claims_ahead ahead
       join messages message on message.id = ahead.message_id and message.claim = ahead.claim and message.status = 'SENDING'
         and message.lease_until <= clock_timestamp() + make_interval(secs => $1::float8)
       for update of ahead skip locked
     ),
     ahead as (delete from claims_ahead where claim in (select claim from overdue) returning message_id, claim)
     ${RELEASE}`,
    [LEASE_SECONDS - BEGINS_WITHIN_SECONDS],
  )
}

/** Shortens leases that end implausibly far in the future, because Postgres's clock was set back. */
export async function shortenLeases(em: EntityManager, maxMinutes: number): Promise<void> {
  await sql(
    em,
    `update messages set lease_until = clock_timestamp() + make_interval(secs => $2::float8)
     where status = 'SENDING' and lease_until > now() + make_interval(mins => $1::integer)`,
    [maxMinutes, LEASE_SECONDS],
  )
}

/** Makes one message UNCONFIRMED if its lease has expired. @returns whether it did */
export async function expireLease(em: EntityManager, id: string, error: string): Promise<boolean> {
  const rows = await write(
    em,
    `${EXPIRE} where id = $2::uuid and status = 'SENDING' and lease_until <= clock_timestamp() returning ${CHANGED}`,
    [error, id],
  )
  return rows.length > 0
}

/**
 * Makes messages UNCONFIRMED whose leases have expired. First, queues those again that a dead process claimed ahead.
 * @param campaignId limits it to one campaign
 * @param graceSeconds seconds for which they must have been expired
 * @returns the IDs of the unconfirmed ones
 */
export async function expireLeases(
  em: EntityManager,
  {
    error,
    campaignId = null,
    graceSeconds,
    limit,
  }: {
    error: string
    campaignId?: string | null
    graceSeconds: number
    limit: number
  },
): Promise<string[]> {
  const isExpired = (grace: string, campaign: string) =>
    `message.status = 'SENDING' and message.lease_until <= clock_timestamp() - make_interval(secs => ${grace}::float8)
       and ${campaignId === null ? `${campaign}::uuid is null` : `message.campaign_id = ${campaign}::uuid`}`
  await releaseOverdueAhead(em)
  const rows = await write(
    em,
    `${EXPIRE} where status = 'SENDING' and id in (
         select id from messages message
         where ${isExpired('$2', '$3')} and not exists (select from claims_ahead where claim = message.claim)
         limit $4 for update skip locked
       ) returning ${CHANGED}`,
    [error, graceSeconds, campaignId, limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * Makes all messages UNCONFIRMED that were in flight when a backup was made. They count as final from the time of their claim, so
 * that the steps after them are due at the same times as on the original, and are not sent twice.
 */
export async function abandonSending(em: EntityManager, error: string): Promise<void> {
  await write(
    em,
    `update messages set status = 'UNCONFIRMED', lease_until = null, error = $1, final_at = coalesce(final_at, claimed_at)
       where status = 'SENDING' returning ${CHANGED}`,
    [error],
  )
}

/** Counts the messages of one kind that are in flight, that is, whose lease has not expired. */
export async function countSending(
  em: EntityManager,
  where: { automationId?: string; campaignId?: string; contactIds?: readonly string[] },
): Promise<number> {
  const parameters: unknown[] = []
  const conditions = [
    where.automationId && `automation_id = $${parameters.push(where.automationId)}::uuid`,
    where.campaignId && `campaign_id = $${parameters.push(where.campaignId)}::uuid`,
    where.contactIds && `contact_id = any($${parameters.push(where.contactIds)}::uuid[])`,
  ].filter((condition) => condition !== undefined)
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages where ${[...conditions, IS_LIVE].join(' and ')}`,
    parameters,
  )
  return row?.count ?? 0
}

/** Counts the messages in flight to contacts of a workspace that were erased. */
export async function countSendingToErased(em: EntityManager, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::integer as count from messages message
     where ${IS_LIVE} and workspace_id = $1::uuid and not exists (select from contacts where id = message.contact_id)`,
    [workspaceId],
  )
  return row?.count ?? 0
}
