import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import type { ComparedPart } from './compared-values.ts'
import type { ResolvedCondition } from './condition.ts'
import { comparedSql, type ConditionContext, conditionSql } from './condition-sql.ts'

/**
 * Returns whether another segment refers to a segment, or a rule or step of an automation's current version does, or an ACTIVE
 * automation starts when contacts enter it, or it is in the audience of a campaign that has not started, or is still collecting
 * its recipients.
 */
export async function isSegmentInUse(em: EntityManager, id: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from campaigns where status in ('SCHEDULED', 'SENDING', 'PAUSED') and not materialized
       and workspace_id = (select workspace_id from segments where id = $1::uuid)
       and (audience -> 'segmentIds' ? $1::text or audience #> '{exclude,segmentIds}' ? $1::text)
     union all
     select from automations where status = 'ACTIVE' and deleted_at is null and trigger = 'SEGMENT_ENTERED' and trigger_key = $1::text
       and workspace_id = (select workspace_id from segments where id = $1::uuid)
     union all
     select from segments
     where workspace_id = (select workspace_id from segments where id = $1::uuid) and id <> $1::uuid
       and jsonb_path_exists(condition, '$.**.segment ? (@ == $id)', jsonb_build_object('id', $1::text))
     union all
     select from automations automation
     join automation_versions current on current.automation_id = automation.id and current.version = automation.version
     where automation.workspace_id = (select workspace_id from segments where id = $1::uuid) and automation.deleted_at is null
       and jsonb_path_exists(
         lower(jsonb_build_array(automation.entry, automation.exit_on, automation.goal, current.steps)::text)::jsonb,
         '$.**.segment ? (@ == $id)', jsonb_build_object('id', $1::text))
     limit 1`,
    [id],
  )
  return rows.length > 0
}

/** The IDs of the segments of a workspace that refer to segments. */
export async function idsOfReferringSegments(em: EntityManager, workspaceId: string): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from segments where workspace_id = $1::uuid and jsonb_path_exists(condition, '$.**.segment')`,
    [workspaceId],
  )
  return rows.map(({ id }) => id)
}

/** Counts the contacts of a workspace that match a condition. */
export async function countContacts(
  em: EntityManager,
  condition: ResolvedCondition,
  context: ConditionContext,
): Promise<number> {
  const parameters: unknown[] = [context.workspaceId]
  const where = conditionSql(condition, parameters, context)
  const [row] = await sql<{ count: number }>(
    em,
    `select count(*)::float8 as count from contacts contact where contact.workspace_id = $1::uuid and ${where}`,
    parameters,
  )
  return row?.count ?? 0
}

/** Returns whether a contact exists and matches a condition. */
export async function contactExistsWith(
  em: EntityManager,
  contactId: string,
  condition: ResolvedCondition,
  context: ConditionContext,
): Promise<boolean> {
  const parameters: unknown[] = [contactId, context.workspaceId]
  const where = conditionSql(condition, parameters, context)
  const rows = await sql(
    em,
    `select from contacts contact where contact.id = $1::uuid and contact.workspace_id = $2::uuid and ${where}`,
    parameters,
  )
  return rows.length > 0
}

/** Evaluates conditions for a contact, and reads what they compare. @returns `undefined` if the contact does not exist */
export async function evaluateEach(
  em: EntityManager,
  contactId: string,
  conditions: readonly ResolvedCondition[],
  context: ConditionContext,
  compared: readonly ComparedPart[] = [],
): Promise<{ matches: boolean[]; compared: unknown[] } | undefined> {
  const parameters: unknown[] = [contactId, context.workspaceId]
  const each = conditions.map((condition) => conditionSql(condition, parameters, context))
  const [row] = await sql<{ matches: boolean[]; compared: unknown[] }>(
    em,
    `select array[${each.join(', ')}]::boolean[] as matches, ${comparedSql(compared, parameters, context)} as compared
     from contacts contact where contact.id = $1::uuid and contact.workspace_id = $2::uuid`,
    parameters,
  )
  return row
}
