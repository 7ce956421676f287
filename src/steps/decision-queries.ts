import type { StepResult, StepType, StoredStep } from '../automation-engine/index.ts'
import { isAfterCursor, microsOf, toItems, type Cursor } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/**
 * Kinds of decisions:
 * - STEP: a step that is not an email began
 * - EMAIL: an email was not sent
 * - ENTRY: a rule kept the contact out of an automation
 * - END: an enrollment ended before its last step
 */
export const DECISION_KINDS = ['STEP', 'EMAIL', 'ENTRY', 'END'] as const

/** A decision about a contact. */
export interface Decision {
  id: string
  kind: (typeof DECISION_KINDS)[number]
  at: Date
  finishedAt: Date | null
  /** `null` for a campaign. */
  automationId: string | null
  /** `null` for a campaign, or if the automation is deleted. */
  automationName: string | null
  campaignId: string | null
  enrollmentId: string | null
  version: number | null
  stepId: string | null
  stepType: StepType | null
  step: StoredStep | null
  result: StepResult | null
  /** While a step waits: the time at which it continues. */
  until: Date | null
  detail: Record<string, unknown>
  /** When the enrollment ended, if it has. */
  enrollmentEndedAt: Date | null
  /** The rule of an entry, the error of a message, or the status of an ended enrollment. */
  rule: string | null
  place: Cursor
}

export interface DecisionPage {
  automationId?: string | undefined
  enrollmentId?: string | undefined
  behind?: Cursor | undefined
  limit: number
}

/** Reads the decisions about an existing contact, most recent first. */
export async function decisionsOf(
  em: EntityManager,
  contactId: string,
  { automationId, enrollmentId, behind, limit }: DecisionPage,
): Promise<Decision[]> {
  const parameters = [
    contactId,
    automationId ?? null,
    enrollmentId ?? null,
    behind?.micros ?? null,
    behind?.id ?? null,
    limit,
  ]
  return toItems<Decision>(await sql(em, DECISIONS, parameters), 'at', 'finishedAt', 'until', 'enrollmentEndedAt')
}

const OF_AUTOMATION = `($2::uuid is null or automation_id = $2::uuid)`
const OF_ENROLLMENT = `($3::uuid is null or enrollment_id = $3::uuid)`

/** One source of decisions, limited by its own index on the contact and the time. */
const source = (columns: string, table: string, at: string, condition: string) =>
  `(
  select * from (select ${columns} from ${table} where contact_id = $1::uuid and ${OF_AUTOMATION} and ${condition}) source
  where ${isAfterCursor('at', '$4', '$5')} order by at desc, id desc limit $6::integer
)`.replaceAll('{at}', at)

// Runs, refused entries and ends have no UUID of their own. A hash is a stable cursor among those of the same time.
const STEPS = source(
  `md5(enrollment_id::text || step_id::text)::uuid as id, 'STEP' as kind, {at} as at, finished_at, automation_id,
      null::uuid as campaign_id, enrollment_id, version, step_id, type as step_type, result, until, detail, null as rule`,
  'step_runs',
  'started_at',
  OF_ENROLLMENT,
)

const EMAILS = source(
  `id, 'EMAIL' as kind, {at} as at, {at} as finished_at, automation_id, campaign_id, enrollment_id,
      (select version from enrollments where enrollments.id = enrollment_id) as version, step_id,
      case when step_id is not null then 'EMAIL' end as step_type, null::jsonb as result, null::timestamptz as until,
      '{}'::jsonb as detail, error as rule`,
  'messages',
  'created_at',
  `${OF_ENROLLMENT} and status in ('SUPPRESSED', 'FAILED')`,
)

const ENTRIES = source(
  `md5('refused entry ' || id)::uuid as id, 'ENTRY' as kind, {at} as at, {at} as finished_at, automation_id,
      null::uuid as campaign_id, null::uuid as enrollment_id, null::integer as version, null::uuid as step_id,
      null as step_type, null::jsonb as result, null::timestamptz as until, '{}'::jsonb as detail, rule`,
  'refused_entries',
  'created_at',
  '$3::uuid is null',
)

const ENDS = source(
  `md5('end ' || enrollment_id)::uuid as id, 'END' as kind, {at} as at, {at} as finished_at, automation_id,
      null::uuid as campaign_id, enrollment_id, version, null::uuid as step_id, null as step_type, null::jsonb as result,
      null::timestamptz as until, coalesce(ended_by, '{}') as detail, status as rule`,
  '(select *, id as enrollment_id from enrollments) ended',
  'ended_at',
  `${OF_ENROLLMENT} and status in ('STOPPED', 'EXITED', 'GOAL_REACHED', 'CANCELLED')`,
)

const DECISIONS = `
select item.*, ${microsOf('item.at')},
  (select name from automations where id = item.automation_id and deleted_at is null) as automation_name,
  (select ended_at from enrollments where id = item.enrollment_id) as enrollment_ended_at,
  (select step from automation_versions version, jsonb_array_elements(version.steps) step
   where version.automation_id = item.automation_id and version.version = item.version
     and step ->> 'id' = item.step_id::text) as step
from (
  ${[STEPS, EMAILS, ENTRIES, ENDS].join('\nunion all\n')}
) item
order by item.at desc, item.id desc limit $6::integer`
