import { knownLists, LIST_NOT_FOUND } from '../lists/index.ts'
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
  /** In bytes of UTF-8, where that is known: it is what progress is told of. */
  size?: number | null | undefined
  fingerprint?: string | null | undefined
}

/** Begins an import, of which nothing is read yet. @throws {ApiError} `list_not_found` */
export async function createImport(
  em: EntityManager,
  workspaceId: string,
  { name, format, options, size = null, fingerprint = null }: ImportInput,
  id: string,
): Promise<Import> {
  const unit = unitOf(em)
  const { listId } = options
  if (listId !== null && !(isId(listId) && (await knownLists(unit, workspaceId, [listId])).has(listId.toLowerCase())))
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

/** The import that somebody has begun with the same file, and has not been told the end of. */
const findUntold = (em: EntityManager, workspaceId: string, fingerprint: string): Promise<Import | null> =>
  unitOf(em).findOne(Import, { workspaceId, fingerprint }, { ...FRESH_READ, orderBy: { id: 'desc' } })

/** The import of a file that is there, or a new one: two who begin at the same moment go on with one. */
export const beginOrResume = (
  em: EntityManager,
  workspaceId: string,
  input: ImportInput & { fingerprint: string },
): Promise<{ found: Import; isResumed: boolean }> =>
  unitOf(em).transactional(async (unit) => {
    await lockFingerprint(unit, workspaceId, input.fingerprint)
    const untold = await findUntold(unit, workspaceId, input.fingerprint)
    return { found: untold ?? (await createImport(unit, workspaceId, input, newId())), isResumed: untold !== null }
  })

/** Says that whoever began it knows what became of it: the same file is another import from now on. */
export async function setAudited(em: EntityManager, id: string): Promise<void> {
  await unitOf(em).nativeUpdate(Import, { id }, { fingerprint: null })
}

/** Forgets an import of which nothing is done. */
export async function dropImport(em: EntityManager, id: string): Promise<void> {
  await unitOf(em).nativeDelete(Import, { id, position: 0 })
}

/** A page of a workspace's imports, newest first, and how many there are. */
export const listImports = (
  em: EntityManager,
  workspaceId: string,
  range: { limit: number; offset: number },
): Promise<[Import[], number]> =>
  em.fork().findAndCount(Import, { workspaceId }, { ...range, orderBy: { createdAt: 'desc', id: 'desc' } })

/** A page of the rows that could not be read, in their order, and how many there are. @throws {ApiError} `import_not_found` */
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
