import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** What a backup is made of: a tar file with a file for each table, one for Temporal, and this, which is written last. */
export interface Manifest {
  format: typeof FORMAT
  /** Of the Dripline that made it. */
  version: string
  /** ISO 8601. */
  createdAt: string
  /** Those that the database had had, oldest first. */
  migrations: string[]
  tables: SavedTable[]
  /** How far the database's sequences were; `null` where nothing was taken from one. */
  sequences: { name: string; last: string | null }[]
  temporal: SavedFile
}

export interface SavedFile {
  file: string
  /** SHA-256, as hexadecimal digits. */
  sha256: string
}

export interface SavedTable extends SavedFile {
  name: string
  columns: string[]
}

export const FORMAT = 1
export const MANIFEST = 'manifest.json'

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/**
 * Reads what a backup says of itself, and holds all of it against that.
 *
 * @param folder in which it was unpacked
 * @param knownMigrations of this version
 * @throws {Error} that says what is wrong with it
 */
export async function readManifest(folder: string, knownMigrations: readonly string[]): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error('It is not whole: its manifest, which is written last, is missing.')
  const manifest = JSON.parse(text) as Manifest
  // Whatever another version has written there.
  const format: number = manifest.format
  if (format !== FORMAT) {
    throw new Error(
      `It has the format ${format}, and this version reads format ${FORMAT}: restore it with Dripline ${manifest.version}.`,
    )
  }
  const unknown = manifest.migrations.filter((name) => !knownMigrations.includes(name))
  if (unknown.length > 0) {
    throw new Error(
      `It is of Dripline ${manifest.version}, which is newer than this one: its database has had ${unknown.join(', ')}. ` +
        'Restore it with that version.',
    )
  }
  for (const { file, sha256 } of [...manifest.tables, manifest.temporal]) {
    const found = await sha256Of(join(folder, file)).catch(() => undefined)
    if (found !== sha256)
      throw new Error(`It is damaged: ${file} is ${found === undefined ? 'missing' : 'not what it was'}.`)
  }
  return manifest
}
