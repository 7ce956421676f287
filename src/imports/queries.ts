import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Locks an import until the end of the transaction. @returns whether the import exists */
export async function lockImport(em: EntityManager, workspaceId: string, id: string): Promise<boolean> {
  const rows = await sql(em, 'select from imports where id = $2::uuid and workspace_id = $1::uuid for update', [
    workspaceId,
    id,
  ])
  return rows.length > 0
}

/** Blocks concurrent starts of an import of the same file until the end of the transaction. */
export async function lockFingerprint(em: EntityManager, workspaceId: string, fingerprint: string): Promise<void> {
  await sql(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [`import ${workspaceId} ${fingerprint}`])
}

/** Maximum number of stored errors per import. A file with more has another format. */
export const MAX_ERRORS = 10_000

export interface RowError {
  line: number
  problem: string
}

/** Stores row errors, at most `MAX_ERRORS` per import. */
export async function insertErrors(em: EntityManager, importId: string, errors: readonly RowError[]): Promise<void> {
  if (errors.length === 0) return
  await sql(
    em,
    `insert into import_errors (import_id, line, problem)
     select $1::uuid, line, problem from jsonb_to_recordset($2::jsonb) as error(line integer, problem text)
     order by line limit greatest(0, $3::integer - (select count(*) from import_errors where import_id = $1::uuid))
     on conflict do nothing`,
    [importId, JSON.stringify(errors), MAX_ERRORS],
  )
}

/** Reads a page of an import's errors, by line. Returns `undefined` if the import does not exist. */
export async function errorPage(
  em: EntityManager,
  workspaceId: string,
  id: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ errors: RowError[]; total: number } | undefined> {
  const [row] = await sql<{ errors: RowError[] | null; total: number }>(
    em,
    `select (select count(*)::integer from import_errors where import_id = imports.id) as total, (
       select jsonb_agg(jsonb_build_object('line', line, 'problem', problem) order by line) from (
         select line, problem from import_errors where import_id = imports.id order by line limit $3 offset $4
       ) page
     ) as errors
     from imports where id = $2::uuid and workspace_id = $1::uuid`,
    [workspaceId, id, limit, offset],
  )
  return row && { errors: row.errors ?? [], total: row.total }
}
