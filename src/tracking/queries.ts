import { countClicks, lockFreeMessages, setVisits, type VisitSummary } from '../messages/index.ts'
import type { VisitOf } from '../signed-links/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toObjects } from '../platform/db/sql.ts'
import { BURST_SECONDS, type Click, MACHINES, type Visitor } from './visitor.ts'

/** SQL: the visitors who are certainly no persons. */
const BY_MACHINE = `(${MACHINES.map((visitor) => `'${visitor}'`).join(', ')})`

export interface Visit extends VisitOf {
  kind: 'OPEN' | 'CLICK'
  isMachine: boolean
}

/**
 * Checks whether recording a visit would change nothing, for example when a link is requested many times at once. Takes no locks.
 */
export async function isRecorded(
  em: EntityManager,
  { contactId, messageIdBegins, kind, url, isMachine }: Visit,
): Promise<boolean> {
  const rows = await preparedSql(
    em,
    'is-recorded-visit',
    `select from messages message join message_visits visit on visit.message_id = message.id
     where message.contact_id = $1::uuid and starts_with(message.message_id, '<' || $2::text)
       and visit.kind = $3 and visit.url = $4 and (
         $5::boolean
         or (visitor in ('UNDECIDED', 'PERSON') and (kind = 'OPEN' or last_at > clock_timestamp() - interval '1 second'))
       )
     limit 1`,
    [contactId, messageIdBegins, kind, url, isMachine],
  )
  return rows.length > 0
}

export interface StoredVisit {
  /** As Postgres prints it. */
  lastAt: string
  visitor: Visitor
  /** The visitor before this visit; `null` if it is the first. */
  was: Visitor | null
}

/**
 * Inserts a visit, or adds it to the row of its link. A row that is attributed to a machine is attributed to the new visitor if
 * that may be a person.
 */
export async function upsertVisit(
  em: EntityManager,
  messageId: string,
  { kind, url, links }: Visit,
  visitor: Visitor,
): Promise<StoredVisit> {
  const rows = await preparedSql(em, 'upsert-visit', UPSERT, [messageId, kind, url, links, visitor])
  return toObjects<StoredVisit>(rows)[0]!
}

const UPSERT = `
insert into message_visits as visit (message_id, kind, url, links, at, last_at, visitor)
values ($1::uuid, $2, $3, $4::integer, clock_timestamp(), clock_timestamp(), $5)
on conflict (message_id, kind, url) do update set
  visits = least(visit.visits, 1000000) + 1,
  last_at = case when excluded.visitor <> 'MACHINE' then excluded.last_at else visit.last_at end,
  at = case
    when visit.visitor in ${BY_MACHINE} and excluded.visitor <> 'MACHINE' then excluded.at
    else visit.at
  end,
  visitor = case
    when visit.visitor in ${BY_MACHINE} and excluded.visitor <> 'MACHINE' then excluded.visitor
    else visit.visitor
  end
returning new.last_at::text as last_at, new.visitor, old.visitor as was`

/** Returns the clicks on a message's links in the seconds before an instant, other than those of declared machines. */
export async function clicksBefore(em: EntityManager, messageId: string, instant: string): Promise<Click[]> {
  const rows = await preparedSql<{ seconds: number; links: number }>(
    em,
    'clicks-before',
    `select extract(epoch from $2::timestamptz - last_at)::float8 as seconds, links from message_visits
     where message_id = $1::uuid and kind = 'CLICK' and visitor <> 'MACHINE'
       and last_at > $2::timestamptz - make_interval(secs => $3::float8)`,
    [messageId, instant, BURST_SECONDS],
  )
  return rows.map(({ seconds, links }) => ({ secondsBefore: seconds, links }))
}

/** A visit whose visitor changed, and its link. */
interface ChangedVisit {
  messageId: string
  kind: 'OPEN' | 'CLICK'
  url: string
  was: Visitor
}

/** SQL: the columns of a `ChangedVisit`, for RETURNING. */
const CHANGED = 'new.message_id as "messageId", new.kind, new.url, old.visitor as was'

/**
 * Attributes the visits that began in a burst to it. They no longer count, and neither does an open among them. A link that was
 * first visited before the burst keeps its visitor.
 */
export async function attributeToBurst(em: EntityManager, messageId: string, instant: string): Promise<void> {
  const changed = await preparedSql<ChangedVisit>(
    em,
    'attribute-to-burst',
    `update message_visits set visitor = 'BURST'
     where message_id = $1::uuid and visitor in ('UNDECIDED', 'PERSON')
       and at > $2::timestamptz - make_interval(secs => $3::float8)
     returning ${CHANGED}`,
    [messageId, instant, BURST_SECONDS],
  )
  await countClicks(
    em,
    changed.filter(({ kind, was }) => kind === 'CLICK' && was === 'PERSON'),
    -1,
  )
  await updateVisits(em, [messageId])
}

/**
 * Attributes visits to a person if they were held back long enough to rule out a burst.
 * @returns the number
 */
export const decideVisits = (em: EntityManager, limit: number): Promise<number> =>
  em.transactional(async (unit) => {
    const due = await sql<{ message_id: string }>(
      unit,
      `select distinct message_id from (
         select message_id from message_visits
         where visitor = 'UNDECIDED' and at <= now() - make_interval(secs => $1::float8) order by at limit $2::integer
       ) visits`,
      [BURST_SECONDS, limit],
    )
    // A visit that is being recorded has locked its message, and its outcome is not known yet.
    const messageIds = await lockFreeMessages(
      unit,
      due.map(({ message_id }) => message_id),
    )
    const decided = await sql<ChangedVisit>(
      unit,
      `update message_visits set visitor = 'PERSON'
       where message_id = any($1::uuid[]) and visitor = 'UNDECIDED' and at <= now() - make_interval(secs => $2::float8)
       returning ${CHANGED}`,
      [messageIds, BURST_SECONDS],
    )
    await countClicks(
      unit,
      decided.filter(({ kind }) => kind === 'CLICK'),
      1,
    )
    await updateVisits(unit, messageIds)
    return decided.length
  })

/** Stores in messages who visited them. Who clicked has opened the email, also without its images. The caller holds their locks. */
export async function updateVisits(em: EntityManager, messageIds: readonly string[]): Promise<void> {
  const rows = await sql(
    em,
    `select message_id, min(at) filter (where visitor = 'PERSON')::text as opened_at,
       min(at) filter (where kind = 'CLICK' and visitor = 'PERSON')::text as clicked_at,
       bool_or(kind = 'OPEN' and visitor in ${BY_MACHINE}) as is_machine_opened
     from message_visits where message_id = any($1::uuid[]) group by message_id`,
    [messageIds],
  )
  await setVisits(em, toObjects<VisitSummary>(rows))
}
