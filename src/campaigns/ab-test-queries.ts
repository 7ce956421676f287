import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toDate } from '../platform/db/sql.ts'

/**
 * When it is decided which variant the rest gets: some time after the others were sent. Who is put off keeps nobody waiting, but where all of them
 * are, nobody has seen anything yet.
 *
 * @returns `undefined` where it is not sending, or none was sent so far
 */
export async function whenDecided(em: EntityManager, id: string): Promise<Date | undefined> {
  const [row] = await sql<{ decides_at: string }>(
    em,
    `update campaigns set
       decides_at = coalesce(decides_at, now() + make_interval(mins => coalesce((ab_test ->> 'afterMinutes')::integer, 0)))
     where id = $1::uuid and status = 'SENDING' and (
       decides_at is not null
       or exists (
         select from messages where campaign_id = $1::uuid and variant is not null and status in ('SENT', 'CAPTURED')
       )
       or not exists (
         select from messages where campaign_id = $1::uuid and status = 'DEFERRED' and due_at < 'infinity'
       )
     )
     returning decides_at`,
    [id],
  )
  return row && toDate(row.decides_at)
}

/** So many of the rest become due at once. */
const RELEASED_AT_ONCE = 5_000

/** Decides which variant was best, where nobody has yet, and makes it due for some of the rest. @returns whether for any */
export async function releaseRest(em: EntityManager, id: string): Promise<boolean> {
  await sql(em, DECIDE, [id])
  const rows = await sql(
    em,
    `update messages message set variant = campaign.winner, due_at = now()
     from campaigns campaign
     where campaign.id = $1::uuid and campaign.status = 'SENDING' and campaign.winner is not null and message.id in (
       select id from messages
       where campaign_id = $1::uuid and status in ('QUEUED', 'DEFERRED') and due_at = 'infinity'
       order by id limit $2::integer for update skip locked
     )
     returning message.id`,
    [id, RELEASED_AT_ONCE],
  )
  return rows.length > 0
}

/** The first of those that are equal; and the campaign's own where nobody has done anything. */
const DECIDE = `
update campaigns set winner = coalesce((
  select variant from messages
  where campaign_id = $1::uuid and variant is not null and status in ('SENT', 'CAPTURED')
  group by variant
  having count(case when campaigns.ab_test ->> 'winnerBy' = 'OPENED' then opened_at else clicked_at end) > 0
  order by
    count(case when campaigns.ab_test ->> 'winnerBy' = 'OPENED' then opened_at else clicked_at end)::float8 / count(*) desc,
    variant
  limit 1
), 0)
where id = $1::uuid and status = 'SENDING' and winner is null and decides_at <= now()`
