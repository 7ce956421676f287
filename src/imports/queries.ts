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

/** Stores a part of an uploaded file. */
export async function insertChunk(em: EntityManager, importId: string, position: number, bytes: Buffer): Promise<void> {
  await sql(em, 'insert into import_chunks (import_id, position, bytes) values ($1::uuid, $2::bigint, $3::bytea)', [
    importId,
    position,
    bytes,
  ])
}

/** Chunks read at once. A client may upload small ones. */
const CHUNKS_AT_ONCE = 64

/** Reads a file from a position, at least `size` bytes if there are so many. */
export async function readBytes(em: EntityManager, importId: string, position: number, size: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let length = 0; length < size;) {
    const rows = await sql<{ position: string; bytes: Buffer }>(
      em,
      `select position, bytes from import_chunks
       where import_id = $1::uuid and position + octet_length(bytes) > $2::bigint order by position limit ${CHUNKS_AT_ONCE}`,
      [importId, position + length],
    )
    for (const row of rows) {
      if (length >= size) break
      const part = row.bytes.subarray(Math.max(0, position + length - Number(row.position)))
      parts.push(part)
      length += part.length
    }
    if (rows.length < CHUNKS_AT_ONCE) break
  }
  return Buffer.concat(parts)
}

/** Deletes the part of a file before a position. */
export async function deleteChunks(em: EntityManager, importId: string, before: number): Promise<void> {
  await sql(
    em,
    'delete from import_chunks where import_id = $1::uuid and position + octet_length(bytes) <= $2::bigint',
    [importId, before],
  )
}

/** Maximum number of stored errors per import. A file with more has another format. */
const MAX_ERRORS = 10_000

export interface RowError {
  line: number
  problem: string
  /** The row. `null` if it cannot be stored, or is deleted. */
  cells: readonly string[] | null
}

/** Stores row errors, at most `MAX_ERRORS` per import. */
export async function insertErrors(em: EntityManager, importId: string, errors: readonly RowError[]): Promise<void> {
  if (errors.length === 0) return
  await sql(
    em,
    `insert into import_errors (import_id, line, problem, cells)
     select $1::uuid, line, problem, nullif(cells, 'null'::jsonb)
     from jsonb_to_recordset($2::jsonb) as error(line integer, problem text, cells jsonb)
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
       select jsonb_agg(jsonb_build_object('line', line, 'problem', problem, 'cells', cells) order by line) from (
         select line, problem, cells from import_errors where import_id = imports.id order by line limit $3 offset $4
       ) page
     ) as errors
     from imports where id = $2::uuid and workspace_id = $1::uuid`,
    [workspaceId, id, limit, offset],
  )
  return row && { errors: row.errors ?? [], total: row.total }
}

/** Days for which a file that was not started, and the cells of failed rows are kept. */
const KEPT_DAYS = 7

/**
 * Deletes imports that were not started or continued, and the cells of failed rows. Race: a member starts an import at the same time.
 * Guard: this skips imports that are locked, and checks their status under a lock. Test: "keeps an old draft that is being started".
 *
 * @returns the number of rows
 */
export async function deleteOldFiles(em: EntityManager, limit: number): Promise<number> {
  const imports = await sql(
    em,
    `delete from imports where id in (
       select id from imports where status in ('UPLOADING', 'DRAFT') and updated_at < now() - make_interval(days => $2::integer)
       limit $1::integer for update skip locked
     ) returning id`,
    [limit, KEPT_DAYS],
  )
  const stopped = await sql(
    em,
    `with stopped as (
       update imports set status = 'FAILED', finished_at = now(), updated_at = now(),
         problem = 'It was stopped for ${KEPT_DAYS} days, and its file is deleted'
       where id in (
         select id from imports where status = 'STOPPED' and updated_at < now() - make_interval(days => $2::integer) limit $1::integer
         for update skip locked
       ) returning id
     )
     delete from import_chunks where import_id in (select id from stopped) returning position`,
    [limit, KEPT_DAYS],
  )
  const cells = await sql(
    em,
    `update import_errors set cells = null where (import_id, line) in (
       select import_id, line from import_errors
       where cells is not null and created_at < now() - make_interval(days => $2::integer) order by created_at limit $1::integer
     ) returning line`,
    [limit, KEPT_DAYS],
  )
  return Math.max(imports.length, stopped.length, cells.length)
}

/** Deletes the cells of failed rows that contain an address. */
export async function eraseCells(em: EntityManager, workspaceId: string, addresses: readonly string[]): Promise<void> {
  await sql(
    em,
    `update import_errors error set cells = null from imports
     where imports.id = error.import_id and imports.workspace_id = $1::uuid and error.cells is not null
       and exists (select from unnest($2::text[]) address where strpos(lower(error.cells::text), address) > 0)`,
    [workspaceId, addresses],
  )
}
