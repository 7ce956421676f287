import type { EntityManager } from '../platform/db/orm.ts'
import { sql, toObjects } from '../platform/db/sql.ts'

/** The transactional emails of a period, by their outcome. The counts add up to `emails`. */
export interface TransactionalCounts {
  emails: number
  /** Those that a mail server accepted, or that were captured, and did not bounce. */
  delivered: number
  bounced: number
  failed: number
  /** Those that are queued, being sent or deferred. */
  waiting: number
  suppressed: number
  /** Those whose outcome is not known. */
  unconfirmed: number
  /** Seconds from when an email was due to when a mail server accepted it; null without any. */
  medianSeconds: number | null
  /** The 95th percentile of these; null with fewer than 20. */
  p95Seconds: number | null
  lastSentAt: Date | null
}

/** Emails with one template, or without a template and with one first tag. */
export interface TransactionalGroup extends TransactionalCounts {
  templateId: string | null
  templateName: string | null
  tag: string | null
}

/** Groups that are listed. */
const MAX_GROUPS = 100
/** The fewest emails for a 95th percentile. */
const MIN_FOR_P95 = 20

/**
 * Reads the transactional emails of the last hours, in total and by template. Cancelled ones are not counted.
 * @returns the groups with most emails first, and the total as the one without a template and a tag that `isTotal`
 */
export async function transactionalGroups(
  em: EntityManager,
  workspaceId: string,
  hours: number,
): Promise<(TransactionalGroup & { isTotal: boolean })[]> {
  const rows = toObjects<TransactionalGroup & { isTotal: boolean; timed: number }>(
    await sql(em, GROUPS, [workspaceId, hours]),
    'lastSentAt',
  )
  return rows.map(({ timed, p95Seconds, ...row }) => ({ ...row, p95Seconds: timed < MIN_FOR_P95 ? null : p95Seconds }))
}

const GROUPS = `
with sent as (
  select email.template_id, case when email.template_id is null then email.tags[1] end as tag, message.status, message.sent_at,
    message.results && '{HARD_BOUNCED}' as is_bounced,
    extract(epoch from message.sent_at - greatest(email.created_at, email.scheduled_at))::float8 as seconds
  from emails email join messages message on message.id = email.id
  where email.workspace_id = $1::uuid and email.created_at > now() - make_interval(hours => $2::integer)
    and email.cancelled_at is null
)
select grouping(sent.template_id) = 1 as is_total, sent.template_id, template.name as template_name, tag,
  count(*)::float8 as emails,
  count(*) filter (where status in ('SENT', 'CAPTURED') and not is_bounced)::float8 as delivered,
  count(*) filter (where status in ('SENT', 'CAPTURED') and is_bounced)::float8 as bounced,
  count(*) filter (where status = 'FAILED')::float8 as failed,
  count(*) filter (where status in ('QUEUED', 'SENDING', 'DEFERRED'))::float8 as waiting,
  count(*) filter (where status = 'SUPPRESSED')::float8 as suppressed,
  count(*) filter (where status in ('UNCONFIRMED', 'DISMISSED'))::float8 as unconfirmed,
  count(seconds)::float8 as timed, percentile_cont(0.5) within group (order by seconds) as median_seconds,
  percentile_cont(0.95) within group (order by seconds) as p95_seconds, max(sent_at) as last_sent_at
from sent left join templates template on template.id = sent.template_id
group by grouping sets ((), (sent.template_id, template.name, tag))
order by is_total desc, emails desc, template_name, tag limit ${MAX_GROUPS + 1}`
