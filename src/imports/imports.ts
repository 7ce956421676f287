import { findExistingLists, LIST_NOT_FOUND } from '../lists/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { isId, newId } from '../platform/ids.ts'
import { ApiError } from '../platform/api-error.ts'
import { Import, type ImportOptions } from './entities.ts'
import type { FormatName } from './formats/index.ts'
import { errorPage, lockFingerprint, type RowError } from './queries.ts'
import { IMPORT_NOT_FOUND } from './errors.ts'

export interface ImportInput {
  name: string
  format: FormatName
  options: ImportOptions
  /** Bytes of UTF-8, if known. Used to report progress. */
  size?: number | null | undefined
  fingerprint?: string | null | undefined
}

/** Creates an import at position 0. @throws {ApiError} `list_not_found` */
export async function createImport(
  em: EntityManager,
  workspaceId: string,
  { name, format, options, size = null, fingerprint = null }: ImportInput,
  id: string,
): Promise<Import> {
  const unit = unitOf(em)
  const { listId } = options
  if (
    listId !== null &&
    !(isId(listId) && (await findExistingLists(unit, workspaceId, [listId])).has(listId.toLowerCase()))
  )
    throw new ApiError(LIST_NOT_FOUND, { param: '/listId' })
  const now = new Date()
  const made = unit.create(Import, {
    id,
    workspaceId,
    name,
    format,
    status: 'RUNNING',
    options,
    size,
    fingerprint,
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

/** @throws {ApiError} `import_not_found` */
export async function getImport(em: EntityManager, workspaceId: string, id: string): Promise<Import> {
  const found = isId(id) ? await unitOf(em).findOne(Import, { id, workspaceId }, FRESH_READ) : null
  if (!found) throw new ApiError(IMPORT_NOT_FOUND)
  return found
}

/** Finds the latest import of the same file whose result has not been audited yet. */
const findUnaudited = (em: EntityManager, workspaceId: string, fingerprint: string): Promise<Import | null> =>
  unitOf(em).findOne(Import, { workspaceId, fingerprint }, { ...FRESH_READ, orderBy: { id: 'desc' } })

/** Resumes the import of a file or creates one. Two processes that start concurrently share one import. */
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

/** Deletes an import that has imported nothing. */
export async function deleteImport(em: EntityManager, id: string): Promise<void> {
  await unitOf(em).nativeDelete(Import, { id, position: 0 })
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
