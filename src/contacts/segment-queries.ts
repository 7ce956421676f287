import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'
import { type ConditionContext, conditionSql, type ResolvedCondition } from '../segments/index.ts'
import { suppressedContacts } from './suppression.ts'

/** Contacts by whether they get marketing. */
export interface SubscriptionCounts {
  subscribed: number
  /** They have not confirmed their sign-up yet. */
  pending: number
  /** They opted out, with Dripline or before they were imported. */
  unsubscribed: number
  /** Their address bounced, complained, or was suppressed manually. */
  suppressed: number
}

/** Counts the contacts of a workspace that match a condition, by whether they get marketing. */
export async function countBySubscription(
  em: EntityManager,
  condition: ResolvedCondition,
  context: ConditionContext,
): Promise<SubscriptionCounts> {
  const parameters: unknown[] = [context.workspaceId]
  const where = conditionSql(condition, parameters, context)
  const [row] = await sql<SubscriptionCounts>(
    em,
    `select
       (count(*) filter (where reason is null))::float8 as subscribed,
       (count(*) filter (where reason = 'UNCONFIRMED'))::float8 as pending,
       (count(*) filter (where reason in ('UNSUBSCRIBED', 'IMPORTED')))::float8 as unsubscribed,
       (count(*) filter (where reason in ('BOUNCED', 'COMPLAINED', 'MANUAL')))::float8 as suppressed
     from contacts contact
     left join ${suppressedContacts('$1::uuid', "'marketing'")} suppressed on suppressed.id = contact.id
     where contact.workspace_id = $1::uuid and ${where}`,
    parameters,
  )
  return row!
}
