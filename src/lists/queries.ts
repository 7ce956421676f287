import { List as ListEntity, ListCounter } from './entities.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { sql, toObjects } from '../platform/db/sql.ts'
import { removeAllMembers } from './membership-queries.ts'

export interface List {
  id: string
  name: string
  description: string | null
  public: boolean
  doubleOptIn: boolean
  /** The number of contacts in the list. */
  contactCount: number
  createdAt: Date
  updatedAt: Date
}

const COLUMNS = `
list.id, list.name, list.description, list.public, list.double_opt_in, list.created_at, list.updated_at,
coalesce((select sum(count)::integer from list_counters where list_id = list.id), 0) as contact_count`

/** A page of a workspace's lists, newest first. */
export async function listPage(em: EntityManager, workspaceId: string, { limit, offset }: Range): Promise<List[]> {
  const rows = await sql(
    em,
    `select ${COLUMNS} from lists list where list.workspace_id = $1::uuid
     order by list.created_at desc, list.id desc limit $2 offset $3`,
    [workspaceId, limit, offset],
  )
  return toObjects<List>(rows, 'createdAt', 'updatedAt')
}

export async function findList(em: EntityManager, workspaceId: string, id: string): Promise<List | undefined> {
  const rows = await sql(
    em,
    `select ${COLUMNS} from lists list where list.id = $2::uuid and list.workspace_id = $1::uuid`,
    [workspaceId, id],
  )
  return toObjects<List>(rows, 'createdAt', 'updatedAt')[0]
}

/** Returns whether an ACTIVE automation sends confirmation emails for a list. */
export async function hasConfirmationAutomation(
  em: EntityManager,
  workspaceId: string,
  listId: string,
): Promise<boolean> {
  const rows = await sql(
    em,
    `select from automations where workspace_id = $1::uuid and status = 'ACTIVE' and deleted_at is null
       and trigger = 'LIST_REQUESTED' and trigger_key = $2::text limit 1`,
    [workspaceId, listId],
  )
  return rows.length > 0
}

/**
 * Returns whether a list triggers an ACTIVE automation, is in a rule or step of an automation, or is in the audience of a campaign
 * that has not ended.
 */
export async function isListInUse(em: EntityManager, workspaceId: string, listId: string): Promise<boolean> {
  const rows = await sql(
    em,
    `select from automations where workspace_id = $1::uuid and status = 'ACTIVE' and deleted_at is null
       and trigger in ('LIST_ADDED', 'LIST_REQUESTED') and trigger_key = $2::text
     union all
     -- Its opt-outs apply until the last email.
     select from campaigns where workspace_id = $1::uuid and status in ('SCHEDULED', 'SENDING', 'PAUSED')
       and (audience -> 'listIds' ? $2::text or (audience #> '{exclude,listIds}' ? $2::text and not materialized))
     union all
     select from campaigns campaign
     join segments segment on segment.workspace_id = campaign.workspace_id
       and (campaign.audience -> 'segmentIds' ? segment.id::text
         or campaign.audience #> '{exclude,segmentIds}' ? segment.id::text)
     where campaign.workspace_id = $1::uuid and campaign.status in ('SCHEDULED', 'SENDING', 'PAUSED') and not campaign.materialized
       and position($2::text in segment.condition::text) > 0
     union all
     select from automations automation
     join automation_versions current on current.automation_id = automation.id and current.version = automation.version
     where automation.workspace_id = $1::uuid and automation.deleted_at is null and position($2::text in
       lower(jsonb_build_array(automation.entry, automation.exit_on, automation.goal, current.steps)::text)) > 0
     limit 1`,
    [workspaceId, listId],
  )
  return rows.length > 0
}

/** Locks a list for deletion. Publishing an automation with this trigger waits; joining does not. @returns whether it exists */
export async function lockList(em: EntityManager, workspaceId: string, listId: string): Promise<boolean> {
  const lock = `select from lists where id = $1::uuid and workspace_id = $2::uuid for no key update`
  return (await sql(em, lock, [listId, workspaceId])).length > 0
}

/** Marks a list as being deleted, or removes the mark. */
export async function setDeleting(em: EntityManager, listId: string, isGoing: boolean): Promise<void> {
  await sql(em, `update lists set deleting_since = case when $2::boolean then now() end where id = $1::uuid`, [
    listId,
    isGoing,
  ])
}

/**
 * Returns those of the IDs that are lists of the workspace.
 *
 * @param lock whether to keep them from being deleted until the transaction ends
 */
export async function findExistingLists(
  em: EntityManager,
  workspaceId: string,
  ids: readonly string[],
  { lock = false } = {},
): Promise<ReadonlySet<string>> {
  const rows = await sql<{ id: string }>(
    em,
    `select id from lists where workspace_id = $1::uuid and id = any($2::uuid[])
       ${lock ? 'and deleting_since is null for share' : ''}`,
    [workspaceId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

/** Deletes a list with the members it still has. @returns whether it existed */
export async function deleteListRow(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  // A contact may have joined after the last page was emptied. From now on, the lock of the row keeps others from it.
  await sql(em, 'select from lists where id = $1::uuid and workspace_id = $2::uuid for update', [id, workspaceId])
  await removeAllMembers(em, workspaceId, id)
  if ((await em.nativeDelete(ListEntity, { id, workspaceId })) === 0) return false
  await em.nativeDelete(ListCounter, { listId: id })
  return true
}
