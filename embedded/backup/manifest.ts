import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { array, number, object, string } from 'yup'

/**
 * The contents of a backup: a tar file with a file for each table, one for Temporal, and this manifest, which is written last.
 */
export interface Manifest {
  format: number
  /** The version of Dripline that made the backup. */
  version: string
  /** ISO 8601. */
  createdAt: string
  /** The migrations of the database, oldest first. */
  migrations: string[]
  tables: SavedTable[]
  /** The checksum of Temporal's file. */
  temporalSha256: string
  /** The positions of the database's sequences; `null` for an unused sequence. */
  sequences: { name: string; last: string | null }[]
}

export interface SavedTable {
  name: string
  columns: string[]
  /** The SHA-256 of the table's file, as hexadecimal digits. */
  sha256: string
}

export const FORMAT = 1
export const MANIFEST = 'manifest.json'
export const TEMPORAL = 'temporal.db'
export const fileOf = (table: string): string => `${table}.copy.gz`

/** A backup can come from anyone, so only files with expected names are read. */
export const isNameInBackup = (name: string): boolean =>
  name === MANIFEST ||
  name === TEMPORAL ||
  (name.endsWith(fileOf('')) && isTableName(name.slice(0, -fileOf('').length)))

const isTableName = (name: string): boolean => /^[a-z_]{1,63}$/.test(name)

const name = () => string().required().test('name', 'is not a table name', isTableName)
const texts = () => array(string().required()).required()

/** The form of a manifest. Tables, columns and sequences are checked later, against the database. */
const SHAPE = object({
  format: number().required().integer(),
  version: string()
    .required()
    .matches(/^[\w.+-]{1,50}$/),
  createdAt: string()
    .required()
    .matches(/^[\d.:TZ-]{1,50}$/),
  migrations: array(
    string()
      .required()
      .matches(/^[\w.-]{1,100}$/),
  ).required(),
  tables: array(object({ name: name(), columns: texts(), sha256: string().required() })).required(),
  temporalSha256: string().required(),
  sequences: array(
    object({
      name: name(),
      last: string()
        // Far below the maximum of a sequence, so that no backup can exhaust one.
        .matches(/^\d{1,16}$/)
        .defined()
        .nullable(),
    }),
  ).required(),
})

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/**
 * Reads the manifest of a backup and checks all files against it.
 *
 * @param folder the folder with the unpacked backup
 * @param ours this version, and the migrations that it knows
 * @throws {Error} that states what is wrong with the backup
 */
export async function readManifest(
  folder: string,
  ours: { version: string; migrations: readonly string[] },
): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error('It is incomplete: its manifest, which is written last, is missing.')
  const manifest = parse(text)
  if (manifest.format !== FORMAT) {
    throw new Error(
      `It has format ${manifest.format}, and this version reads format ${FORMAT}. Restore it with Dripline ${manifest.version}.`,
    )
  }
  const unknown = manifest.migrations.filter((name) => !ours.migrations.includes(name))
  if (unknown.length > 0 || isNewer(manifest.version, ours.version)) {
    const had = unknown.length > 0 ? `: its database has the migrations ${unknown.join(', ')}` : ''
    throw new Error(
      `It was made by Dripline ${manifest.version}, which is newer than this version${had}. Restore it with that version.`,
    )
  }
  const files = [
    ...manifest.tables.map((table) => ({ file: fileOf(table.name), sha256: table.sha256 })),
    { file: TEMPORAL, sha256: manifest.temporalSha256 },
  ]
  for (const { file, sha256 } of files) {
    const found = await sha256Of(join(folder, file)).catch(() => undefined)
    if (found !== sha256)
      throw new Error(`It is damaged: ${file} ${found === undefined ? 'is missing' : 'has changed'}.`)
  }
  return manifest
}

/**
 * Returns whether a version such as 0.10.0 is newer than another one. An older version may not be able to continue the workflows
 * of a newer one.
 */
function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [than, version].map((text) => text.split(/[.+-]/).map(Number))
  const at = theirs!.findIndex((part, n) => part !== (ours![n] ?? 0))
  return at !== -1 && theirs![at]! > (ours![at] ?? 0)
}

function parse(text: string): Manifest {
  try {
    return SHAPE.validateSync(JSON.parse(text), { strict: true })
  } catch (error) {
    throw new Error('Its manifest is invalid.', { cause: error })
  }
}
