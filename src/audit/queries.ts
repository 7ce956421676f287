import type { EntityManager } from '../platform/db/orm.ts'
import { isAfterCursor, microsOf, type Cursor, toItems } from '../platform/db/newest-page.ts'
import { newId } from '../platform/ids.ts'
import { preparedSql, sql } from '../platform/db/sql.ts'
import type { Actor } from './entities.ts'

/** An audit entry to write. */
export interface NewEntry {
  workspaceId: string
  actor: Actor
  actorId: string | null
  actorName: string
  operation: string
  targetId: string | null
  requestId: string | null
  /** The IP address of the client, for what a person does with their account. */
  address: string | null
}

/** Writes an audit entry, in the transaction of the change. */
export async function writeEntry(em: EntityManager, entry: NewEntry): Promise<void> {
  await preparedSql(em, 'write-audit-entry', WRITE, [
    newId(),
    entry.workspaceId,
    entry.actor,
    entry.actorId,
    entry.actorName,
    entry.operation,
    entry.targetId,
    entry.requestId,
    entry.address,
  ])
}

const WRITE = `
insert into audit_entries (id, workspace_id, actor, actor_id, actor_name, operation, target_id, request_id, address)
values ($1::uuid, $2::uuid, $3, $4::uuid, $5, $6, $7::uuid, $8, $9)`

export interface ListedEntry extends Omit<NewEntry, 'workspaceId'> {
  id: string
  createdAt: Date
  place: Cursor
}

export interface EntryFilter {
  actors: readonly Actor[]
  /** Only the changes of this object. */
  targetId: string | undefined
  behind: Cursor | undefined
  limit: number
}

/** Lists a page of a workspace's audit entries, newest first. */
export async function entriesOf(
  em: EntityManager,
  workspaceId: string,
  { actors, targetId, behind, limit }: EntryFilter,
): Promise<ListedEntry[]> {
  const rows = await sql(
    em,
    `select id, actor, actor_id, actor_name, operation, target_id, request_id, address, created_at,
       ${microsOf('created_at')}
     from audit_entries
     where workspace_id = $1::uuid and actor = any($2::text[])${targetId === undefined ? '' : ' and target_id = $6::uuid'}
       and ${isAfterCursor('created_at', '$3', '$4')}
     order by created_at desc, id desc limit $5`,
    [
      workspaceId,
      actors,
      behind?.micros ?? null,
      behind?.id ?? null,
      limit,
      ...(targetId === undefined ? [] : [targetId]),
    ],
  )
  return toItems<ListedEntry>(rows, 'createdAt')
}

/** Days for which entries are kept. Keys can make thousands of changes per minute. */
const RETENTION_DAYS = { people: 400, keys: 30 }

/** Deletes entries after their retention time. @returns how many */
export async function deleteOldEntries(em: EntityManager, limit: number): Promise<number> {
  const rows = await sql(
    em,
    `delete from audit_entries where id in (
       select id from audit_entries
       where (actor = 'key' and created_at < now() - make_interval(days => $2::integer))
         or (actor <> 'key' and created_at < now() - make_interval(days => $3::integer))
       limit $1 for update skip locked
     ) returning id`,
    [limit, RETENTION_DAYS.keys, RETENTION_DAYS.people],
  )
  return rows.length
}
