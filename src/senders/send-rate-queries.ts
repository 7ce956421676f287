import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql } from '../platform/db/sql.ts'

/** Turns to send within a rate. */
export interface SendTurns {
  /** Number of turns, possibly less than wanted. */
  count: number
  /** Milliseconds until the first one. The others follow at the rate. */
  waitMs: number
}

/**
 * Takes turns to send emails, evenly spaced over all workers of the instance: those that begin within a second.
 * @param perSecond the rate
 */
export async function takeSendTurns(em: EntityManager, perSecond: number, wanted: number): Promise<SendTurns> {
  const [turns] = await preparedSql<SendTurns>(em, 'take-send-turns', TAKE, [perSecond, wanted])
  return turns!
}

const TAKE = `
with free as (
  select greatest(next_at, clock_timestamp()) as at, clock_timestamp() as now from send_rate for update
),
granted as (
  select at, now, least($2::integer, greatest(0, 1 + floor((1 - extract(epoch from at - now)) * $1::float8)))::integer as count
  from free
)
update send_rate set next_at = granted.at + make_interval(secs => granted.count / $1::float8)
from granted returning granted.count, greatest(0, extract(epoch from granted.at - granted.now) * 1000)::float8 as "waitMs"`
