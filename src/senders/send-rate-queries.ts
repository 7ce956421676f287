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
 *
 * Race: two workers take the same turn. Guard: each locks the row. Test: test/senders/send-rate.test.ts.
 *
 * @param perSecond the rate
 */
export async function takeSendTurns(em: EntityManager, perSecond: number, wanted: number): Promise<SendTurns> {
  const [turns] = await preparedSql<SendTurns>(em, 'take-send-turns', TAKE, [perSecond, wanted])
  return turns!
}

const TAKE = `
with free as (
  -- A later time is from before the clock was set back.
  select least(greatest(next_at, now), now + interval '1 second' + make_interval(secs => 1 / $1::float8)) as at, now
  from send_rate, (select clock_timestamp()) clock(now) for update of send_rate
),
granted as (
  select at, now, least($2::integer, greatest(0, 1 + floor((1 - extract(epoch from at - now)) * $1::float8)))::integer as count
  from free
)
update send_rate set next_at = granted.at + make_interval(secs => granted.count / $1::float8)
from granted returning granted.count, greatest(0, extract(epoch from granted.at - granted.now) * 1000)::float8 as "waitMs"`
