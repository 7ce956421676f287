import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'
import type { VariantResult } from './ab-test.ts'

/** State of a campaign's A/B test. */
export interface Decision {
  decidesAt: Date | null
  winner: number | null
  /** Whether the time to decide has come, by Postgres's clock. */
  isDue: boolean
}

/** Locks a sending campaign until the transaction ends. @returns `undefined` if it is not sending */
export async function lockDecision(em: EntityManager, id: string): Promise<Decision | undefined> {
  const [row] = await sql<{ decides_at: string | null; winner: number | null; is_due: boolean | null }>(
    em,
    `select decides_at, winner, decides_at <= now() as is_due from campaigns
     where id = $1::uuid and status = 'SENDING' for no key update`,
    [id],
  )
  if (!row) return undefined
  return {
    decidesAt: row.decides_at === null ? null : toDate(row.decides_at),
    winner: row.winner,
    isDue: row.is_due ?? false,
  }
}

/** Sets when the winner is decided: `afterMinutes` from now. */
export async function setDecisionTime(em: EntityManager, id: string): Promise<Date> {
  const [row] = await sql<{ decides_at: string }>(
    em,
    `update campaigns set decides_at = now() + make_interval(mins => coalesce((ab_test ->> 'afterMinutes')::integer, 0))
     where id = $1::uuid returning decides_at`,
    [id],
  )
  return toDate(row!.decides_at)
}

export async function setWinner(em: EntityManager, id: string, winner: number): Promise<void> {
  await sql(em, 'update campaigns set winner = $2::smallint where id = $1::uuid', [id, winner])
}

/** Counts the emails sent, opened and clicked for each variant. */
export async function variantResults(em: EntityManager, id: string): Promise<VariantResult[]> {
  return sql<VariantResult>(
    em,
    `select variant, count(*)::integer as sent, count(opened_at)::integer as opened, count(clicked_at)::integer as clicked
     from messages where campaign_id = $1::uuid and variant is not null and status in ('SENT', 'CAPTURED')
     group by variant order by variant`,
    [id],
  )
}

/** Whether a recipient of the test is deferred. */
export async function hasDeferred(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from messages where campaign_id = $1::uuid and status = 'DEFERRED' and due_at < 'infinity' limit 1`,
    [id],
  )
  return rows.length > 0
}
