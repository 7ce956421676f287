import type { EntityManager } from '../platform/db/orm.ts'
import type { Range } from '../platform/db/range.ts'
import { FRESH_READ, unitOf } from '../platform/db/sql.ts'
import { ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import { MediaFile } from './entities.ts'
import { MEDIA_FULL, MEDIA_IN_USE, MEDIA_NOT_FOUND } from './errors.ts'
import { findUses, insertFile, totalBytes } from './queries.ts'
import type { Image } from '../platform/image.ts'
import { hashOf } from './read-image.ts'

/** A page of a workspace's files, newest first, and their total. @param search a part of the name or the alt text */
export function listFiles(
  em: EntityManager,
  workspaceId: string,
  search: string | undefined,
  range: Range,
): Promise<[MediaFile[], number]> {
  const part = { $ilike: `%${(search ?? '').replace(/[%_\\]/g, '\\$&')}%` }
  const found = search === undefined ? {} : { $or: [{ name: part }, { alt: part }] }
  return em
    .fork()
    .findAndCount(MediaFile, { workspaceId, ...found }, { ...range, orderBy: { createdAt: 'desc', id: 'desc' } })
}

/** Returns a file, as an entity of the unit of work. @throws {ApiError} `media_not_found` */
export async function getFile(unit: EntityManager, workspaceId: string, id: string): Promise<MediaFile> {
  const file = isId(id) ? await unit.findOne(MediaFile, { id, workspaceId }) : null
  if (!file) throw new ApiError(MEDIA_NOT_FOUND)
  return file
}

/**
 * Stores an image. The same content is stored once: the second upload returns the first file.
 *
 * @throws {ApiError} `media_full`
 */
export async function addFile(
  em: EntityManager,
  workspaceId: string,
  { name, alt }: { name: string; alt: string | null },
  image: Image,
  { id, maxBytes }: { id: string; maxBytes: number },
): Promise<{ file: MediaFile; isNew: boolean }> {
  const unit = unitOf(em)
  const hash = hashOf(workspaceId, image.content)
  const find = () => unit.findOne(MediaFile, { hash }, FRESH_READ)
  const known = await find()
  if (known) return { file: known, isNew: false }
  if ((await totalBytes(unit, workspaceId)) + image.content.length > maxBytes) {
    const limit = Math.floor(maxBytes / 1024 / 1024).toLocaleString('en-US')
    throw new ApiError(MEDIA_FULL, { message: MEDIA_FULL.message.replace('1,000', limit) })
  }
  // A concurrent request may store the same content.
  const isNew = await insertFile(unit, { id, workspaceId, name, alt, hash, ...image })
  return { file: (await find())!, isNew }
}

/** Changes the given fields. @throws {ApiError} `media_not_found` */
export async function updateFile(
  em: EntityManager,
  workspaceId: string,
  id: string,
  change: { name?: string | undefined; alt?: string | null | undefined },
): Promise<MediaFile> {
  const unit = unitOf(em)
  const file = await getFile(unit, workspaceId, id)
  if (change.name !== undefined) file.name = change.name
  if (change.alt !== undefined) file.alt = change.alt
  await unit.flush()
  return file
}

/**
 * Deletes a file. Emails that were sent show a gap in its place.
 *
 * @throws {ApiError} `media_not_found`; `media_in_use` if something that can still send uses it
 */
export async function deleteFile(em: EntityManager, workspaceId: string, id: string): Promise<void> {
  const unit = unitOf(em)
  const file = await getFile(unit, workspaceId, id)
  const [use] = await findUses(unit, workspaceId, file.hash, { onlySending: true })
  if (use) {
    const what = use.kind === 'EMAIL' ? 'scheduled email' : use.kind.toLowerCase()
    throw new ApiError(MEDIA_IN_USE, { message: `The ${what} "${use.name}" uses this file. Remove it there first.` })
  }
  await unit.remove(file).flush()
}
