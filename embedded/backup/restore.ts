import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import getPort from 'get-port'
import { extract } from 'tar'
import { startEmbedded } from '../client.ts'
import {
  makeDataFolder,
  IGNORED_FILES,
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

/** Options of a restore, and the functions that know the schema. */
export interface RestoredSchema {
  /** Skips Temporal's part, which could run arbitrary workflows: from an untrusted file, only the database is restored. */
  withoutTemporal: boolean
  /** The version of this Dripline, such as 0.2.0. */
  version: string
  /** The names of all migrations, oldest first. */
  migrations: readonly string[]
  /** Creates the tables of an empty database, as they are after the last of these migrations. */
  migrateTo(databaseUrl: string, migrations: readonly string[]): Promise<void>
  /** Migrates the database to the latest version and marks it as restored. */
  finish(databaseUrl: string): Promise<void>
}

/**
 * Creates a data folder from a backup. All work happens within the folder, which may be a mount, and next to a mark that prevents
 * a start. If the restore is interrupted, nothing can run on an incomplete folder, and the next restore starts over.
 *
 * @throws {Error} that states what is wrong with the file, or what is in the way
 */
export async function restoreBackup(
  given: string,
  dataDir: string,
  schema: RestoredSchema,
  say: (line: string) => void,
): Promise<Manifest> {
  const file = resolve(given)
  if (!existsSync(file)) throw new Error(`The file ${file} does not exist.`)
  const found = statSync(dataDir, { throwIfNoEntry: false })
  if (found && !found.isDirectory())
    throw new Error(`${dataDir} is not a folder. Set DATA_DIR to a folder, or to a path where one can be created.`)
  const wasThere = found !== undefined
  if (wasThere) assertEmpty(dataDir, existsSync(restoreMark(dataDir)))
  makeDataFolder(dataDir)
  const release = lockFolder(dataDir, RESTORE_LOCK)
  if (!release)
    throw new Error(`Another restore into ${dataDir} is running. Wait for it, or set DATA_DIR to another folder.`)
  try {
    return await restoreInto(dataDir, wasThere, file, schema, say)
  } finally {
    release()
    for (const name of RESTORE_LOCK_FILES) rmSync(join(dataDir, name), { force: true })
  }
}

/** Runs under a lock, so that no other restore uses the folder at the same time. */
async function restoreInto(
  dataDir: string,
  wasThere: boolean,
  file: string,
  schema: RestoredSchema,
  say: (line: string) => void,
): Promise<Manifest> {
  const unpacked = restoreMark(dataDir)
  // Nothing uses the remains of an interrupted restore.
  const wasBrokenOff = existsSync(unpacked)
  mkdirSync(unpacked, { recursive: true, mode: 0o700 })
  try {
    // A start takes the lock first and then checks the mark. The Postgres of a restore that was just interrupted may still be
    // stopping.
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
        throw new Error(`${file} is not a backup, or is incomplete.`, { cause: error })
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
      await loadTables(superuser.href, unpacked, manifest).catch((error: unknown) => {
        throw new Error(
          `${file} cannot be restored. ${(error as Error).message} Nothing was restored. Restore another backup, or report this ` +
            `error: the file was made by Dripline ${manifest.version}.`,
          { cause: error },
        )
      })
      await schema.finish(databaseUrl)
    } finally {
      await embedded.stop()
    }
    if (!schema.withoutTemporal) {
      chmodSync(join(unpacked, TEMPORAL), 0o600)
      renameSync(join(unpacked, TEMPORAL), temporalFile(dataDir))
    }
    // Removes the mark last: from now on the folder may be started.
    rmSync(unpacked, { recursive: true, force: true })
    return manifest
  } catch (error) {
    clear(dataDir, wasThere)
    throw error
  }
}

/** Skips links, which could lead anywhere. */
const isOurs = (path: string, entry: object): boolean =>
  isNameInBackup(path) && 'type' in entry && entry.type === 'File'

/** Remains of a failed start or restore. None of them contains data. */
const HARMLESS = [
  LOCK_FILE,
  `${LOCK_FILE}-journal`,
  ...RESTORE_LOCK_FILES,
  RESTORE_MARK,
  'owner.pid',
  'logs',
  ...IGNORED_FILES,
]

function assertEmpty(dataDir: string, wasBrokenOff: boolean): void {
  // Reports a running process first. A folder of another program gets no lock file.
  if (existsSync(join(dataDir, LOCK_FILE))) assertFolderFree(dataDir)
  const rest = readdirSync(dataDir).filter((name) => !HARMLESS.includes(name))
  if (wasBrokenOff || rest.length === 0) return
  throw new Error(
    `${dataDir} is not empty (${rest.slice(0, 3).join(', ')} …), and a backup is restored into an empty folder. ` +
      'Move that folder away, or set DATA_DIR to another one.',
  )
}

function clear(dataDir: string, wasThere: boolean): void {
  if (!wasThere) return rmSync(dataDir, { recursive: true, force: true })
  // Removes the mark last, because the folder is incomplete until then.
  empty(dataDir, [RESTORE_MARK, ...RESTORE_LOCK_FILES])
  rmSync(restoreMark(dataDir), { recursive: true, force: true })
}

function empty(folder: string, but: readonly string[]): void {
  for (const name of readdirSync(folder))
    if (![...but, ...IGNORED_FILES].includes(name)) rmSync(join(folder, name), { recursive: true, force: true })
}
