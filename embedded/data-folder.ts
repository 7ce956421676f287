import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LOCK_FILE } from './lock.ts'
import { SECRETS_KEY_FILE } from './secrets-key.ts'

/** Marks a data folder that a restore is filling. It contains the unpacked backup. */
export const RESTORE_MARK = 'restore.unfinished'

/** The lock against a second restore into a data folder, and the files that SQLite keeps next to it. */
export const RESTORE_LOCK = 'restore-lock.db'
export const RESTORE_LOCK_FILES = [RESTORE_LOCK, `${RESTORE_LOCK}-journal`]

/** Files that mounts, checkouts and desktops put into empty folders. */
export const IGNORED_FILES = ['lost+found', '.gitkeep', '.DS_Store']

/**
 * Creates the data folder and closes it to other users.
 *
 * @throws {Error} that names DATA_DIR, if the folder cannot be created or written to, belongs to another user, or holds other files
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
    assertOwnFolder(dataDir)
    assertDedicated(dataDir)
    if (isOwn(dataDir)) chmodSync(dataDir, 0o700 | (statSync(dataDir).mode & 0o010))
    makeFolder(join(dataDir, 'logs'))
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(
      `DATA_DIR (${dataDir}) cannot be used: ${reasonOf(error)}. Set it to a folder of its own, which is new or empty.`,
      { cause: error },
    )
  }
}

/** Creates one folder at a time: Node's recursive way never ends if the kernel refuses, such as below /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw new Error(`${path} is not a folder`)
  return found !== undefined
}

/** @throws {Error} if the folder belongs to a user other than this one and root */
function assertOwnFolder(path: string): void {
  const { uid } = statSync(path)
  const us = process.getuid?.() ?? 0
  if (uid !== us && uid !== 0) {
    throw new Error(`it belongs to another user (${uid}), who could read and change stored data; this user is ${us}`)
  }
}

/** Files that may exist before the lock: remains of failed starts, and ignorable files. */
const IGNORED_BEFORE_LOCK = ['owner.pid', 'cluster', SECRETS_KEY_FILE, ...RESTORE_LOCK_FILES, ...IGNORED_FILES]
const OWN_LOG = /^(postgres|temporal)[\w.-]*$/

/**
 * Requires a dedicated folder, new or empty: its permissions are changed, and other programs may need its files. @throws {Error}
 * that names some of the files
 */
function assertDedicated(path: string): void {
  // A manual copy or an interrupted restore may lack the lock file.
  if (
    [LOCK_FILE, RESTORE_MARK, 'temporal.db', join('postgres', 'PG_VERSION')].some((name) =>
      existsSync(join(path, name)),
    )
  )
    return
  const others = readdirSync(path).filter((name) => !IGNORED_BEFORE_LOCK.includes(name) && !isOurLogs(join(path, name)))
  if (others.length > 0) throw new Error(`it has other files (${others.slice(0, 3).join(', ')} …)`)
}

const isOurLogs = (path: string): boolean =>
  basename(path) === 'logs' && isFolder(path) && readdirSync(path).every((name) => OWN_LOG.test(name))

const isOwn = (path: string): boolean => statSync(path).uid === process.getuid?.()

/** Returns whether the permissions of a folder may be changed: it is new or was created by Dripline, and is not a home folder. */
export function isOwnFolder(path: string): boolean {
  const names = readdirSync(path)
  return isOwn(path) && (names.length === 0 || names.includes(LOCK_FILE))
}

/** Describes an error of a folder or a file. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'its disk is read-only',
    ENOENT: 'it cannot be created there',
    ENOSPC: 'its disk is full',
  }
  return (code && words[code]) ?? message
}

export const restoreMark = (dataDir: string): string => join(dataDir, RESTORE_MARK)

/** @throws {Error} if a restore was interrupted, so that the folder is incomplete */
export function assertNotHalfRestored(dataDir: string): void {
  if (!existsSync(restoreMark(dataDir))) return
  throw new Error(
    `A restore into ${dataDir} was interrupted, or is running: the folder is incomplete and cannot be started. ` +
      'Restore it again: npm run cli -- restore FILE',
  )
}

/**
 * Each start writes this file again. It contains its own creation time, which file systems keep when it is moved but not when it
 * is copied.
 */
const GENERATION = 'generation'

/**
 * Returns whether a data folder is a copy: in place of the original, next to it, or over it. Without creation times in the file
 * system, this cannot be detected.
 */
export function isCopy(dataDir: string): boolean {
  const file = join(dataDir, GENERATION)
  if (!existsSync(file)) return false
  // A file that a power loss left empty proves nothing.
  const written = readFileSync(file, 'utf8')
  return /^\d+$/.test(written) && madeAt(file) !== undefined && written !== madeAt(file)
}

/**
 * Marks a data folder as the original, atomically: an interrupted start must not look like a copy. @returns whether a copy can be
 * detected from now on
 */
export function renewGeneration(dataDir: string): boolean {
  const file = join(dataDir, GENERATION)
  const unfinished = `${file}.new`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, '', { mode: 0o600, flag: 'wx' })
  const now = madeAt(unfinished)
  writeFileSync(unfinished, now ?? '', { flush: true })
  renameSync(unfinished, file)
  // Some file systems report the time of the last change instead: then each start would look like one of a copy.
  const isKept = now !== undefined && madeAt(file) === now
  if (!isKept) rmSync(file)
  return isKept
}

function madeAt(file: string): string | undefined {
  const { birthtimeNs } = statSync(file, { bigint: true })
  return birthtimeNs > 0n ? String(birthtimeNs) : undefined
}
