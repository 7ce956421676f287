import type { VisitOf } from '../signed-links/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'

/** Sooner behind its hand-over nobody has read an email, in seconds. */
const READS_AFTER_SECONDS = 10
/** Every link of an email, where it has at least two, within so many seconds: nobody does that. */
const EVERY_WITHIN_SECONDS = 15
/** How long a visit is held back, in seconds, until it counts: what it may still be part of is known by then. */
export const HELD_SECONDS = EVERY_WITHIN_SECONDS
/** Nor so many different ones in such a time. */
const SEVERAL = 3
const SEVERAL_WITHIN_SECONDS = 2
/** Nor two of them, in such a time, so soon behind the hand-over. */
const TWO_WITHIN_SECONDS = 5
const SOON_SECONDS = 60

export interface Visit extends VisitOf {
  kind: 'OPEN' | 'CLICK'
  isMachine: boolean
}

/**
 * Notes a visit. What was a machine's is a person's, as long as nothing is known against it, where somebody comes later who may be one.
 * Of an email that is gone nothing is noted.
 */
export async function noteVisit(em: EntityManager, visit: Visit): Promise<void> {
  // Whoever comes again and again at once changes nothing, and keeps nobody waiting.
  if (await isKnown(em, visit)) return
  await em.transactional(async (unit) => {
    const [noted] = await preparedSql<{ message_id: string; at: string; visitor: string }>(unit, 'note-visit', NOTE, [
      visit.contactId,
      visit.messageIdBegins,
      visit.kind,
      visit.url,
      visit.links,
      visit.isMachine,
      READS_AFTER_SECONDS,
    ])
    if (noted?.visitor !== 'UNDECIDED' && noted?.visitor !== 'PERSON') return
    await preparedSql(unit, 'take-back-burst', TAKE_BACK, [
      noted.message_id,
      noted.at,
      EVERY_WITHIN_SECONDS,
      SEVERAL_WITHIN_SECONDS,
      SEVERAL,
      TWO_WITHIN_SECONDS,
      SOON_SECONDS,
    ])
  })
}

const isKnown = async (em: EntityManager, { contactId, messageIdBegins, kind, url, isMachine }: Visit) =>
  (await preparedSql(em, 'is-known-visit', KNOWN, [contactId, messageIdBegins, kind, url, isMachine])).length > 0

const KNOWN = `
select from messages message join message_visits visit on visit.message_id = message.id
where message.contact_id = $1::uuid and starts_with(message.message_id, '<' || $2::text)
  and visit.kind = $3 and visit.url = $4 and (
    $5::boolean or (visitor in ('UNDECIDED', 'PERSON') and (kind = 'OPEN' or last_at > clock_timestamp() - interval '1 second'))
  )
limit 1`

/** The email first: whoever notes another visit of it waits, and sees this one. */
const NOTE = `
with message as (
  select id, status, coalesce(sent_at, claimed_at) as handed_over_at from messages
  where contact_id = $1::uuid and starts_with(message_id, '<' || $2::text)
  order by created_at desc limit 1 for no key update
)
insert into message_visits as visit (message_id, kind, url, links, at, last_at, visitor)
select id, $3, $4, $5::integer, clock_timestamp(), clock_timestamp(),
  case
    when $6::boolean then 'MACHINE'
    -- Whoever looks while the server has not taken it yet is part of the server.
    when status = 'SENDING' then 'EARLY'
    when clock_timestamp() < handed_over_at + make_interval(secs => $7::float8) then 'EARLY'
    else 'UNDECIDED'
  end
from message
on conflict (message_id, kind, url) do update set
  visits = least(visit.visits, 1000000) + 1,
  last_at = case when excluded.visitor <> 'MACHINE' then excluded.last_at else visit.last_at end,
  at = case when visit.visitor in ('MACHINE', 'EARLY', 'BURST') and excluded.visitor <> 'MACHINE' then excluded.at else visit.at end,
  visitor = case
    when visit.visitor in ('MACHINE', 'EARLY', 'BURST') and excluded.visitor <> 'MACHINE' then excluded.visitor
    else visit.visitor
  end
returning message_id, last_at::text as at, visitor`

/**
 * What a burst is: see above. What was first visited by it was no person, also where it was said to be; nor was the opening beside it. A
 * link that somebody has followed before is part of one, and stays followed.
 */
const TAKE_BACK = `
with clicks as (
  select last_at as at, links from message_visits
  where message_id = $1::uuid and kind = 'CLICK' and visitor <> 'MACHINE' and last_at > $2::timestamptz - make_interval(secs => $3::float8)
),
burst as (
  select from clicks
  having (count(*) >= 2 and count(*) >= max(links))
    or count(*) filter (where at > $2::timestamptz - make_interval(secs => $4::float8)) >= $5::integer
    or (
      count(*) filter (where at > $2::timestamptz - make_interval(secs => $6::float8)) >= 2
      and exists (
        select from messages where id = $1::uuid
          and (status = 'SENDING' or coalesce(sent_at, claimed_at) > $2::timestamptz - make_interval(secs => $7::float8))
      )
    )
)
update message_visits set visitor = 'BURST'
where exists (select from burst) and message_id = $1::uuid and visitor in ('UNDECIDED', 'PERSON')
  and at > $2::timestamptz - make_interval(secs => $3::float8)`

/** Says of visits that were held back for long enough that they are persons'. @returns how many */
export async function decideVisits(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql<{ count: number }>(
    em,
    `with due as (
       select distinct message_id from (
         select message_id from message_visits
         where visitor = 'UNDECIDED' and at <= now() - make_interval(secs => $1::float8) order by at limit $2::integer
       ) visits
     ),
     -- In the order of whoever notes a visit: the email first.
     locked as (select id from messages where id in (select message_id from due) order by id for no key update skip locked),
     decided as (
       update message_visits visit set visitor = 'PERSON' from locked
       where visit.message_id = locked.id and visitor = 'UNDECIDED' and at <= now() - make_interval(secs => $1::float8)
       returning 1
     )
     select count(*)::integer as count from decided`,
    [HELD_SECONDS, limit],
  )
  return rows[0]?.count ?? 0
}
