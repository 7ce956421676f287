import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import getPort from 'get-port'
import { extract } from 'tar'
import { startEmbedded } from '../client.ts'
import {
  makeDataFolder,
  NOT_FILES_OF_ANYBODY,
  RESTORE_LOCK,
  RESTORE_LOCK_FILES,
  RESTORE_MARK,
  restoreMark,
} from '../data-folder.ts'
import { LOCK_FILE, lockFolder } from '../lock.ts'
import { assertFolderFree, takeFolder } from '../owner.ts'
import { temporalFile } from '../temporal.ts'
import { isNameInBackup, type Manifest, readManifest, TEMPORAL } from './manifest.ts'
import { loadTables } from './tables.ts'

/** What only whoever knows the schema can do, and what is wanted. */
export interface RestoredSchema {
  /** Leaves Temporal's part out, which does whatever it says: of a file that may be changed, only the ledger is taken. */
  ledgerOnly: boolean
  /** Of this Dripline, such as 0.2.0. */
  version: string
  /** The names of all migrations, oldest first. */
  migrations: readonly string[]
  /** Makes the tables of a database that has nothing, as they are behind the last of these. */
  migrateTo(databaseUrl: string, migrations: readonly string[]): Promise<void>
  /** Brings it up to date, and says that it is a restored one. */
  finish(databaseUrl: string): Promise<void>
}

/**
 * Makes a data folder of a backup. All of it happens within the folder, which may be a mount, beside a mark with which nothing is
 * started on it: whatever breaks it off, nobody runs on half of it, and the next restore begins anew.
 *
 * @throws {Error} that says what is wrong with the file, or in the way
 */
export async function restoreBackup(
  given: string,
  dataDir: string,
  schema: RestoredSchema,
  say: (line: string) => void,
): Promise<Manifest> {
  const file = resolve(given)
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found && !found.isDirectory())
    throw new Error(`${dataDir} is no folder. Set DATA_DIR to one, or to where one can be made.`)
  const wasThere = found !== undefined
  if (wasThere) assertEmpty(dataDir, existsSync(restoreMark(dataDir)))
  makeDataFolder(dataDir)
  const release = lockFolder(dataDir, RESTORE_LOCK)
  if (!release)
    throw new Error(`Another restore into ${dataDir} is at work. Wait for it, or set DATA_DIR to another folder.`)
  try {
    return await restoreInto(dataDir, wasThere, file, schema, say)
  } finally {
    release()
    for (const name of RESTORE_LOCK_FILES) rmSync(join(dataDir, name), { force: true })
  }
}

/** Nobody else restores into the folder meanwhile. */
async function restoreInto(
  dataDir: string,
  wasThere: boolean,
  file: string,
  schema: RestoredSchema,
  say: (line: string) => void,
): Promise<Manifest> {
  const unpacked = restoreMark(dataDir)
  // What a restore has left that was broken off is nobody's.
  const wasBrokenOff = existsSync(unpacked)
  mkdirSync(unpacked, { recursive: true, mode: 0o700 })
  try {
    // Who starts there looks for the mark behind its lock. A restore that was broken off a moment ago still has its Postgres,
    // which is on its way out.
    const release = await takeFolder(dataDir)
    release()
    assertEmpty(dataDir, wasBrokenOff)
  } catch (error) {
    if (!wasBrokenOff) rmSync(unpacked, { recursive: true })
    throw error
  }
  empty(dataDir, [RESTORE_MARK, ...RESTORE_LOCK_FILES])
  empty(unpacked, [])
  try {
    await extract({ file, cwd: unpacked, strict: true, preserveOwner: false, filter: isOurs }).catch(
      (error: unknown) => {
        throw new Error(`${file} is no backup, or not whole.`, { cause: error })
      },
    )
    const manifest = await readManifest(unpacked, schema).catch((error: unknown) => {
      throw new Error(`${file} cannot be restored. ${(error as Error).message}`, { cause: error })
    })
    const embedded = await startEmbedded(
      { dataDir, restores: true, postgres: { port: await getPort({ host: '127.0.0.1' }) } },
      say,
    )
    try {
      const { databaseUrl = '', superuserUrl = '' } = embedded
      await schema.migrateTo(databaseUrl, manifest.migrations)
      const superuser = new URL(superuserUrl)
      superuser.pathname = new URL(databaseUrl).pathname
      await loadTables(superuser.href, unpacked, manifest)
      await schema.finish(databaseUrl)
    } finally {
      await embedded.stop()
    }
    if (!schema.ledgerOnly) {
      chmodSync(join(unpacked, TEMPORAL), 0o600)
      renameSync(join(unpacked, TEMPORAL), temporalFile(dataDir))
    }
    // Last: from here on it may be started.
    rmSync(unpacked, { recursive: true, force: true })
    return manifest
  } catch (error) {
    clear(dataDir, wasThere)
    throw error
  }
}

/** A link could lead anywhere. */
const isOurs = (path: string, entry: object): boolean =>
  isNameInBackup(path) && 'type' in entry && entry.type === 'File'

/** What a start or a restore that came to nothing leaves: none of it is anybody's data. */
const HARMLESS = [
  LOCK_FILE,
  `${LOCK_FILE}-journal`,
  ...RESTORE_LOCK_FILES,
  RESTORE_MARK,
  'owner.pid',
  'logs',
  ...NOT_FILES_OF_ANYBODY,
]

function assertEmpty(dataDir: string, wasBrokenOff: boolean): void {
  // Whoever runs there has the first word; and a folder that is nobody's gets no lock.
  if (existsSync(join(dataDir, LOCK_FILE))) assertFolderFree(dataDir)
  const rest = readdirSync(dataDir).filter((name) => !HARMLESS.includes(name))
  if (wasBrokenOff || rest.length === 0) return
  throw new Error(
    `${dataDir} is not empty (${rest.slice(0, 3).join(', ')} …): a backup is restored into a folder of its own. ` +
      'Move that one away, or set DATA_DIR to another folder.',
  )
}

function clear(dataDir: string, wasThere: boolean): void {
  if (!wasThere) return rmSync(dataDir, { recursive: true, force: true })
  // The mark last: until then it is half of something.
  empty(dataDir, [RESTORE_MARK, ...RESTORE_LOCK_FILES])
  rmSync(restoreMark(dataDir), { recursive: true, force: true })
}

function empty(folder: string, but: readonly string[]): void {
  for (const name of readdirSync(folder))
    if (![...but, ...NOT_FILES_OF_ANYBODY].includes(name)) rmSync(join(folder, name), { recursive: true, force: true })
}
