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

/** In a data folder that a restore is filling: what is unpacked lies in it. */
export const RESTORE_MARK = 'restore.unfinished'

/** Keeps a second restore out of a data folder, and what SQLite keeps beside it. */
export const RESTORE_LOCK = 'restore-lock.db'
export const RESTORE_LOCK_FILES = [RESTORE_LOCK, `${RESTORE_LOCK}-journal`]

/** What a mount, a checkout or a desktop puts into a folder that is empty. */
export const NOT_FILES_OF_ANYBODY = ['lost+found', '.gitkeep', '.DS_Store']

/**
 * Creates the data folder and closes it to other users.
 *
 * @throws {Error} that names DATA_DIR, if the folder cannot be created or written to, belongs to another user, or holds other files
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
    assertOwned(dataDir)
    assertNotFullOfOthers(dataDir)
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

/** One folder at a time: Node's own recursive way never ends where the kernel refuses, such as below /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Somebody else may have made it in between.
    if (!isFolder(path)) throw error
  }
}

function isFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) throw new Error(`${path} is no folder`)
  return found !== undefined
}

/** @throws {Error} if the folder belongs to a user other than this one and root */
function assertOwned(path: string): void {
  const { uid } = statSync(path)
  const us = process.getuid?.() ?? 0
  if (uid !== us && uid !== 0) {
    throw new Error(`it belongs to another user (${uid}), who could read and change what is stored; we are ${us}`)
  }
}

/** What is there before the lock, which is the first that a start makes: what came to nothing leaves, and what is no matter. */
const BEFORE_THE_LOCK = ['owner.pid', 'cluster', ...RESTORE_LOCK_FILES, ...NOT_FILES_OF_ANYBODY]
const OWN_LOG = /^(postgres|temporal)[\w.-]*$/

/**
 * A folder of its own, new or empty: its rights are changed, and others may need what is in it.
 * @throws {Error} that names some of it
 */
function assertNotFullOfOthers(path: string): void {
  // A copy by hand may have left the lock out, and a restore that was ended in the middle.
  if (
    [LOCK_FILE, RESTORE_MARK, 'temporal.db', join('postgres', 'PG_VERSION')].some((name) =>
      existsSync(join(path, name)),
    )
  )
    return
  const others = readdirSync(path).filter((name) => !BEFORE_THE_LOCK.includes(name) && !isOurLogs(join(path, name)))
  if (others.length > 0) throw new Error(`it has other files (${others.slice(0, 3).join(', ')} …)`)
}

const isOurLogs = (path: string): boolean =>
  basename(path) === 'logs' && isFolder(path) && readdirSync(path).every((name) => OWN_LOG.test(name))

const isOwn = (path: string): boolean => statSync(path).uid === process.getuid?.()

/** Whether a folder's rights are ours to set: a new one or one from before, and not somebody's home. */
export function isOurs(path: string): boolean {
  const names = readdirSync(path)
  return isOwn(path) && (names.length === 0 || names.includes(LOCK_FILE))
}

/** What is wrong with a folder or a file, in words. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  const words: Record<string, string> = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'its disk is read-only',
    ENOENT: 'it cannot be made there',
    ENOSPC: 'its disk is full',
  }
  return (code && words[code]) ?? message
}

export const restoreMark = (dataDir: string): string => join(dataDir, RESTORE_MARK)

/** @throws {Error} where a restore was broken off, and half of a backup would be started. */
export function assertNotHalfRestored(dataDir: string): void {
  if (!existsSync(restoreMark(dataDir))) return
  throw new Error(
    `A restore into ${dataDir} was broken off, or is at work: it is half of a backup, and nothing runs on it. ` +
      'Restore it again: npm run cli -- restore FILE',
  )
}

/** Made anew by each start. What is in it is when it was made, which a file system keeps where it is moved. */
const GENERATION = 'generation'

/**
 * Whether a data folder is a copy of one: put in its place, beside it, or over it. Where a file system does not say when a file was
 * made, there is no telling.
 */
export function isCopy(dataDir: string): boolean {
  const file = join(dataDir, GENERATION)
  if (!existsSync(file)) return false
  // What a power loss has left says nothing.
  const written = readFileSync(file, 'utf8')
  return /^\d+$/.test(written) && madeAt(file) !== undefined && written !== madeAt(file)
}

/**
 * Says that a data folder is the original from now on. All at once: a start that is ended here is no copy.
 * @returns whether a copy will be known
 */
export function renewGeneration(dataDir: string): boolean {
  const file = join(dataDir, GENERATION)
  const unfinished = `${file}.new`
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, '', { mode: 0o600, flag: 'wx' })
  const now = madeAt(unfinished)
  writeFileSync(unfinished, now ?? '', { flush: true })
  renameSync(unfinished, file)
  // Some file systems have for that when a file was changed: by that each start would be one of a copy.
  const isKept = now !== undefined && madeAt(file) === now
  if (!isKept) rmSync(file)
  return isKept
}

function madeAt(file: string): string | undefined {
  const { birthtimeNs } = statSync(file, { bigint: true })
  return birthtimeNs > 0n ? String(birthtimeNs) : undefined
}
