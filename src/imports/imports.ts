import { findExistingLists, LIST_NOT_FOUND } from '../lists/index.ts'
import { enqueueImport } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId, newId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { Import, type ImportOptions } from './entities.ts'
import { type ColumnSample, sampleColumns } from './guess.ts'
import { assertComplete, assertMapping, titlesOf } from './mapping.ts'
import { errorPage, lockFingerprint, lockImport, readBytes, type RowError } from './queries.ts'
import { IMPORT_NOT_FOUND, IMPORT_NOT_RUNNING, IMPORT_NOT_UPLOADED, IMPORT_STARTED } from './errors.ts'
import { readCsv } from './read-csv.ts'

export interface ImportInput {
  name: string
  options: ImportOptions
  /** Bytes of UTF-8, if known. Used to report progress. */
  size?: number | null | undefined
  fingerprint?: string | null | undefined
}

/** Creates an import, whose file is then uploaded. @throws {ApiError} `list_not_found` */
export async function createImport(
  em: EntityManager,
  workspaceId: string,
  { name, options, size = null, fingerprint = null }: ImportInput,
  id: string,
): Promise<Import> {
  const unit = unitOf(em)
  await assertList(unit, workspaceId, options)
  const now = new Date()
  const made = unit.create(Import, {
    id,
    workspaceId,
    name,
    status: 'UPLOADING',
    options,
    size,
    fingerprint,
    uploaded: 0,
    position: 0,
    line: 0,
    created: 0,
    updated: 0,
    suppressed: 0,
    failed: 0,
    createdAt: now,
    updatedAt: now,
  })
  await unit.flush()
  return made
}

async function assertList(em: EntityManager, workspaceId: string, { listId }: ImportOptions): Promise<void> {
  if (listId === null) return
  if (!isId(listId) || !(await findExistingLists(em, workspaceId, [listId])).has(listId.toLowerCase()))
    throw new ApiError(LIST_NOT_FOUND, { param: '/listId' })
}

/** @throws {ApiError} `import_not_found` */
export async function getImport(em: EntityManager, workspaceId: string, id: string): Promise<Import> {
  const found = isId(id) ? await unitOf(em).findOne(Import, { id, workspaceId }, FRESH_READ) : null
  if (!found) throw new ApiError(IMPORT_NOT_FOUND)
  return found
}

/** Locks and reads an import, in a transaction. @throws {ApiError} `import_not_found` */
export async function lockedImport(unit: EntityManager, workspaceId: string, id: string): Promise<Import> {
  if (!isId(id) || !(await lockImport(unit, workspaceId, id))) throw new ApiError(IMPORT_NOT_FOUND)
  return unit.findOneOrFail(Import, { id }, { refresh: true })
}

/** Changes an import under its lock. @throws {ApiError} `import_not_found` */
const changeImport = (
  em: EntityManager,
  workspaceId: string,
  id: string,
  change: (found: Import, unit: EntityManager) => Promise<void> | void,
): Promise<Import> =>
  unitOf(em).transactional(async (unit) => {
    const found = await lockedImport(unit, workspaceId, id)
    await change(found, unit)
    found.updatedAt = new Date()
    await unit.flush()
    return found
  })

/** Returns the titles of the columns. @throws {ApiError} `import_not_uploaded`; `import_started` if it is not a draft */
export function titlesOfDraft({ status, header }: Import): string[] {
  if (status === 'UPLOADING') throw new ApiError(IMPORT_NOT_UPLOADED)
  if (status !== 'DRAFT') throw new ApiError(IMPORT_STARTED)
  return titlesOf(header!)
}

/** Replaces the mapping and the other options of a draft. @throws {ApiError} `wrong_mapping`, `list_not_found` */
export const setMapping = (
  em: EntityManager,
  workspaceId: string,
  id: string,
  options: ImportOptions,
): Promise<Import> =>
  changeImport(em, workspaceId, id, async (found, unit) => {
    assertMapping(titlesOfDraft(found), options)
    await assertList(unit, workspaceId, options)
    found.options = options
  })

/** Bytes and rows that are read for the samples. */
const SAMPLE = { bytes: 256 * 1024, rows: 2_000 }

/** Describes the columns of a draft by the first rows of its file. */
export async function sampleImport(em: EntityManager, found: Import): Promise<ColumnSample[]> {
  const { id, position, size, delimiter } = found
  const bytes = await readBytes(unitOf(em), id, position, SAMPLE.bytes)
  const isLast = position + bytes.length === size
  const { records } = await readCsv(bytes, { delimiter: delimiter!, isLast, most: SAMPLE.rows })
  return sampleColumns(
    titlesOf(found.header!),
    records.map(({ cells }) => cells),
  )
}

/**
 * Starts a draft, or continues a stopped import. A worker imports the rows.
 *
 * @throws {ApiError} `mapping_incomplete`: an import does not start before every column is decided and the consent is stated
 */
export const startImport = (em: EntityManager, workspaceId: string, id: string): Promise<Import> =>
  changeImport(em, workspaceId, id, async (found, unit) => {
    if (found.status !== 'STOPPED') assertComplete(titlesOfDraft(found), found.options)
    found.status = 'RUNNING'
    await enqueueImport(unit, { id, workspaceId })
  })

/** Stops a running import. The imported rows stay. @throws {ApiError} `import_not_running` */
export const stopImport = (em: EntityManager, workspaceId: string, id: string): Promise<Import> =>
  changeImport(em, workspaceId, id, (found) => {
    if (found.status !== 'RUNNING') throw new ApiError(IMPORT_NOT_RUNNING)
    found.status = 'STOPPED'
  })

/** Deletes an import with its file and its errors. The imported contacts stay. @throws {ApiError} `import_not_found` */
export async function deleteImport(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const count = isId(id) ? await unitOf(em).nativeDelete(Import, { id, workspaceId }) : 0
  if (count === 0) throw new ApiError(IMPORT_NOT_FOUND)
}

/** Deletes an import of which no row was imported. One that was started stays, because a worker may be importing it. */
export async function deleteBeforeStart(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  await unitOf(em).nativeDelete(Import, { id, workspaceId, status: { $in: ['UPLOADING', 'DRAFT'] } })
}

/** Finds the latest import of the same file whose result has not been audited yet. */
const findUnaudited = (em: EntityManager, workspaceId: string, fingerprint: string): Promise<Import | null> =>
  unitOf(em).findOne(Import, { workspaceId, fingerprint }, { ...FRESH_READ, orderBy: { id: 'desc' } })

/**
 * Resumes the import of a file or creates one. An interrupted upload starts over. Two processes that start concurrently share one
 * import.
 */
export const beginOrResume = (
  em: EntityManager,
  workspaceId: string,
  input: ImportInput & { fingerprint: string },
): Promise<{ found: Import; isResumed: boolean }> =>
  unitOf(em).transactional(async (unit) => {
    await lockFingerprint(unit, workspaceId, input.fingerprint)
    const existing = await findUnaudited(unit, workspaceId, input.fingerprint)
    return { found: existing ?? (await createImport(unit, workspaceId, input, newId())), isResumed: existing !== null }
  })

/** Records that the result was reported. From then on, the same file is a new import. */
export async function setAudited(em: EntityManager, id: string): Promise<void> {
  await unitOf(em).nativeUpdate(Import, { id }, { fingerprint: null })
}

/** Lists a page of a workspace's imports, newest first, and their total number. */
export const listImports = (
  em: EntityManager,
  workspaceId: string,
  range: { limit: number; offset: number },
): Promise<[Import[], number]> =>
  em.fork().findAndCount(Import, { workspaceId }, { ...range, orderBy: { createdAt: 'desc', id: 'desc' } })

/** Lists a page of the rows that could not be read, by line, and their total number. @throws {ApiError} `import_not_found` */
export async function listErrors(
  em: EntityManager,
  workspaceId: string,
  id: string,
  range: { limit: number; offset: number },
): Promise<[RowError[], number]> {
  const page = isId(id) ? await errorPage(em.fork(), workspaceId, id, range) : undefined
  if (!page) throw new ApiError(IMPORT_NOT_FOUND)
  return [page.errors, page.total]
}
