import { Automation } from './entities.ts'
import type { AutomationStatus } from '../automation-engine/index.ts'
import type { StoredContent } from './steps/step-type.ts'
import type { Trigger, TriggerConfig } from '../triggers/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { sql, unitOf, toObjects } from '../platform/db/sql.ts'

export interface AutomationSummary {
  id: string
  name: string
  status: AutomationStatus
  trigger: Trigger
  triggerConfig: TriggerConfig
  version: number
  revision: number
  hasDraft: boolean
  stepCount: number
  enrolledCount: number
  completedCount: number
  createdAt: Date
  updatedAt: Date
}

/** Returns a revision that no draft has had before. */
export async function nextDraftRevision(em: EntityManager): Promise<number> {
  const [row] = await sql<{ revision: number }>(em, `select nextval('draft_revisions')::float8 as revision`)
  return row!.revision
}

const NOW_AS_REVISION = `(extract(epoch from clock_timestamp() - timestamptz '2026-01-01Z') * 1000)::bigint`

/**
 * Moves the revisions of automations and drafts beyond any that existed since a backup, so that clients that have read one of
 * those get a conflict. Uses milliseconds: nothing changes more often, and each restore is later than the previous one.
 */
export async function skipRevisions(em: EntityManager): Promise<void> {
  await sql(
    em,
    `with newest as (select ${NOW_AS_REVISION} as revision),
     moved as (
       update automations set revision = greatest(automations.revision + 1, newest.revision)
       from newest, (select id, revision from automations) before
       where before.id = automations.id
       returning automations.id, before.revision as before, automations.revision as after
     )
     update automation_drafts set based_on = moved.after
     from moved where moved.id = automation_id and moved.before = based_on`,
  )
  await sql(
    em,
    `select setval('draft_revisions', greatest(last_value, ${NOW_AS_REVISION}))
     from draft_revisions`,
  )
}

export async function automationPage(
  em: EntityManager,
  workspaceId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<AutomationSummary[]> {
  const rows = await sql(em, PAGE, [workspaceId, limit, offset])
  return toObjects<AutomationSummary>(rows, 'createdAt', 'updatedAt')
}

const PAGE = `
select automation.id, automation.name, automation.status, automation.trigger, automation.trigger_config, automation.version,
  automation.revision::float8 as revision,
  exists (select from automation_drafts where automation_id = automation.id) as has_draft,
  jsonb_array_length(version.steps) as step_count,
  coalesce(counts.enrolled, 0) as enrolled_count, coalesce(counts.completed, 0) as completed_count,
  automation.created_at, automation.updated_at
from automations automation
join automation_versions version on version.automation_id = automation.id and version.version = automation.version
left join automation_counts counts on counts.automation_id = automation.id
where automation.workspace_id = $1::uuid and automation.deleted_at is null
order by automation.created_at desc, automation.id desc
limit $2 offset $3`

/**
 * Stores the contents of an automation's emails by hash. Existing ones stay unchanged. Each text is its own parameter: in the
 * statement, or in an array, megabytes would be escaped character by character, and block the event loop.
 */
export async function storeContents(
  em: EntityManager,
  automationId: string,
  contents: ReadonlyMap<string, StoredContent>,
): Promise<void> {
  if (contents.size === 0) return
  const rows = [...contents.keys()].map(
    (_hash, n) => `($1::uuid, ${[2, 3, 4, 5, 6, 7].map((of) => `$${6 * n + of}${of >= 6 ? '::jsonb' : ''}`).join()})`,
  )
  await sql(
    em,
    `insert into email_contents (automation_id, hash, subject, html, text, translations, source) values ${rows.join()} on conflict do nothing`,
    [
      automationId,
      ...[...contents].flatMap(([hash, { subject, html, text, translations, source }]) => [
        hash,
        subject,
        html,
        text,
        JSON.stringify(translations),
        source ? JSON.stringify(source) : null,
      ]),
    ],
  )
}

/**
 * Returns whether a list has double opt-in and no other ACTIVE automation sends its confirmation emails. Locks the list, so
 * that none can be deactivated until the transaction ends.
 */
export async function isOnlyConfirmationAutomation(
  em: EntityManager,
  workspaceId: string,
  { id, listId }: { id: string; listId: string },
): Promise<boolean> {
  // Lock: if two automations are deactivated concurrently, the second one sees the first.
  await sql(em, 'select from lists where id = $1::uuid and workspace_id = $2::uuid for no key update', [
    listId,
    workspaceId,
  ])
  const rows = await sql(
    em,
    `select from lists where id = $3::uuid and workspace_id = $1::uuid and double_opt_in and not exists (
       select from automations where workspace_id = $1::uuid and id <> $2::uuid and status = 'ACTIVE' and deleted_at is null
         and trigger = 'LIST_REQUESTED' and trigger_key = $3::text
     )`,
    [workspaceId, id, listId],
  )
  return rows.length > 0
}

/** Deletes some of the contents of a deleted automation's emails, which can be gigabytes. @returns whether none are left */
export async function deleteContents(em: EntityManager, automationId: string, limit: number): Promise<boolean> {
  const rows = await sql(
    em,
    `delete from email_contents where automation_id = $1::uuid and hash in (
       select hash from email_contents where automation_id = $1::uuid limit $2
     ) returning hash`,
    [automationId, limit],
  )
  return rows.length < limit
}

/** Deletes an automation whose enrollments are gone, with its versions. */
export async function removeAutomation(em: EntityManager, automationId: string): Promise<void> {
  await unitOf(em).nativeDelete(Automation, { id: automationId, deletedAt: { $ne: null } }, { filters: false })
}
