/**
 * Claims that are made ahead, before a connection is free for the message. As long as `claims_ahead` has the claim, its transmission
 * has certainly not begun.
 */
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'

/** Stores claims that are made ahead, in the transaction that makes them. */
export async function noteAhead(
  em: EntityManager,
  claims: readonly { claim: string; messageId: string }[],
): Promise<void> {
  if (claims.length === 0) return
  await preparedSql(
    em,
    'note-claims-ahead',
    'insert into claims_ahead (claim, message_id) select * from unnest($1::uuid[], $2::uuid[])',
    [claims.map(({ claim }) => claim), claims.map(({ messageId }) => messageId)],
  )
}

/**
 * Removes claims from those made ahead, because their transmission begins.
 *
 * Race: another process finds the claim overdue, and releases the message. Guard: only one of them deletes the row. Test:
 * test/campaigns/claims-ahead.test.ts.
 *
 * @returns those that may begin
 */
export async function beginAhead(em: EntityManager, claims: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await preparedSql<{ claim: string }>(
    em,
    'begin-claims-ahead',
    'delete from claims_ahead where claim = any($1::uuid[]) returning claim',
    [claims],
  )
  return new Set(rows.map(({ claim }) => claim))
}

/** Deletes rows whose message is no longer in flight with that claim: its process died after it had recorded another outcome. */
export async function deleteUnusedAhead(em: EntityManager): Promise<void> {
  await sql(
    em,
    `delete from claims_ahead ahead where not exists (
       select from messages where id = ahead.message_id and claim = ahead.claim and status = 'SENDING'
     )`,
  )
}
