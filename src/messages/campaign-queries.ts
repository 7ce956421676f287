import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { MESSAGE_RESULTS, MESSAGE_STATUSES } from './message.ts'
import type { ResultCounts } from './results.ts'

/** The counters of a message, and the SQL condition under which it counts. The same ones are counted when a message changes. */
const COUNTED: readonly (readonly [counter: string, condition: string])[] = [
  ...MESSAGE_STATUSES.map((status) => [status, `status = '${status}'`] as const),
  ['OPENED', 'opened_at is not null'],
  ['CLICKED', 'clicked_at is not null'],
  ...MESSAGE_RESULTS.map((result) => [result, `'${result}' = any(results)`] as const),
]

/** The messages of a campaign to a receiving domain, or to all domains that are not listed. */
export interface DomainCounts {
  /** `null` for the other domains. */
  domain: string | null
  /** The number of domains. */
  domains: number
  counts: ResultCounts
}

/** Counts the messages of a campaign by receiving domain: the largest ones, then all others as one row. */
export const countsByDomain = (em: EntityManager, campaignId: string, limit: number): Promise<DomainCounts[]> =>
  sql<DomainCounts>(em, BY_DOMAIN, [campaignId, limit])

// A message that waits has no address yet: the contact's.
const BY_DOMAIN = `
with counted as (
  select lower(split_part(coalesce(message.recipient, contact.email_key), '@', -1)) as domain, count(*) as recipients,
    ${COUNTED.map(([counter, condition]) => `count(*) filter (where ${condition}) as "${counter}"`).join(', ')}
  from messages message left join contacts contact on message.recipient is null and contact.id = message.contact_id
  where message.campaign_id = $1::uuid and coalesce(message.recipient, contact.email_key) is not null
  group by 1
),
ranked as (select *, row_number() over (order by recipients desc, domain) as rank from counted)
select case when rank <= $2::integer then domain end as domain, count(*)::integer as domains,
  jsonb_build_object(${COUNTED.map(([counter]) => `'${counter}', sum("${counter}")`).join(', ')}) as counts
from ranked group by 1 order by min(rank)`

/** The first opens and clicks of an hour. */
export interface HourOfOpens {
  at: Date
  opened: number
  clicked: number
}

/** Counts the first opens and clicks of a campaign's emails in the hours after its start. Hours without any are left out. */
export async function opensByHour(
  em: EntityManager,
  { id, startedAt }: { id: string; startedAt: Date },
  hours: number,
): Promise<HourOfOpens[]> {
  return toObjects<HourOfOpens>(await sql(em, BY_HOUR, [id, startedAt.toISOString(), hours]), 'at')
}

const BY_HOUR = `
select date_bin('1 hour', visit.at, $2::timestamptz) as at,
  count(*) filter (where not visit.is_click)::integer as opened, count(*) filter (where visit.is_click)::integer as clicked
from messages message cross join lateral (values (message.opened_at, false), (message.clicked_at, true)) visit(at, is_click)
where message.campaign_id = $1::uuid
  and visit.at >= $2::timestamptz and visit.at < $2::timestamptz + make_interval(hours => $3::integer)
group by 1 order by 1`

/** The messages that were sent in a minute. */
export interface SentMinute {
  at: Date
  sent: number
}

/** Counts the messages of a campaign that were sent in the last minutes. Minutes without any are left out. */
export async function sentByMinute(em: EntityManager, campaignId: string, minutes: number): Promise<SentMinute[]> {
  return toObjects<SentMinute>(await sql(em, BY_MINUTE, [campaignId, minutes]), 'at')
}

const BY_MINUTE = `
select date_trunc('minute', sent_at) as at, count(*)::integer as sent from messages
where campaign_id = $1::uuid and status in ('SENT', 'CAPTURED')
  and sent_at >= date_trunc('minute', now()) - make_interval(mins => $2::integer - 1)
group by 1 order by 1`
