import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
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
import { isTrusted } from './own-path.ts'

/** In a data folder that a restore is filling: what is unpacked lies in it. */
export const RESTORE_MARK = 'restore.unfinished'

/** Keeps a second restore out of a data folder, and what SQLite keeps beside it. */
export const RESTORE_LOCK = 'restore-lock.db'
export const RESTORE_LOCK_FILES = [RESTORE_LOCK, `${RESTORE_LOCK}-journal`]

/** What a mount, a checkout or a desktop puts into a folder that is empty. */
export const NOT_FILES_OF_ANYBODY = ['lost+found', '.gitkeep', '.DS_Store']

/**
 * Makes the data folder and what is in it for the owner alone: everything that is stored passes through it.
 * @throws {Error} that names DATA_DIR, where it cannot be made or written into.
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
    assertNobodyElses(dataDir)
    assertNotFullOfOthers(dataDir)
    const { mode } = statSync(dataDir)
    const wasOpen = (mode & 0o022) !== 0
    // Before it is closed, so that it is refused the next time, too; and behind that, when nobody comes in any more.
    assertNobodyElsesFiles(dataDir, wasOpen)
    if (isOwn(dataDir)) chmodSync(dataDir, 0o700 | (mode & 0o010))
    assertNobodyElsesFiles(dataDir, wasOpen)
    makeFolder(join(dataDir, 'logs'))
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    const advice = error instanceof ForeignFile ? error.advice : 'Set it to a folder of its own, which is new or empty.'
    throw new Error(`DATA_DIR (${dataDir}) cannot be used: ${reasonOf(error)}. ${advice}`, { cause: error })
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

/**
 * Whoever owns a folder, or may write into it, can put in the place of what is in it whatever he wants.
 * @throws {Error} that says who it is
 */
function assertNobodyElses(path: string): void {
  const { uid, mode } = statSync(path)
  if (!isTrusted(uid)) {
    const us = process.getuid?.()
    throw new Error(`it belongs to another user (${uid}), who could read and change what is stored; we are ${us}`)
  }
  if (mode & 0o002 && !isOurs(path)) throw new Error('everybody can write into it')
}

const POSTGRES = 'postgres'
/** Of Postgres's user, too, and what a first start that was ended leaves: the next one makes them anew. */
const MADE_ANEW = ['postgres.unfinished', 'initdb-password']

/**
 * Whoever could write into a folder until now may have put there what is read, and run, from then on. Root's Postgres is another
 * user's, who is a different one on another machine: a folder that nobody else could write into is believed.
 *
 * @param wasOpen whether others could write into it
 * @throws {Error} that says whose it is
 */
function assertNobodyElsesFiles(path: string, wasOpen: boolean): void {
  for (const name of readdirSync(path)) {
    const found = lstatSync(join(path, name), { throwIfNoEntry: false })
    // What comes and goes is of one who is at work there.
    if (!found || [...MADE_ANEW, ...NOT_FILES_OF_ANYBODY].includes(name)) continue
    const isPostgres = name === POSTGRES && found.isDirectory() && (!wasOpen || found.uid === uidOfPostgres())
    if (!isTrusted(found.uid) && !isPostgres) {
      throw new ForeignFile(
        `${name} in it belongs to another user (${found.uid}), who knows what is in it`,
        name === POSTGRES
          ? `Where nobody else could have put it there: chmod go-w ${path}`
          : 'Take it away; or, where you know what is in it, make it yours (chown of it alone).',
      )
    }
    // Of ours what others could put there, or can change from elsewhere.
    if (wasOpen && (found.mode & 0o022 || (found.isFile() && found.nlink > 1)) && !found.isSymbolicLink()) {
      throw new ForeignFile(
        `others may write into ${name} in it, or could have put it there`,
        'Take it away; or, where you know what is in it, chmod go-w both, and let it have no other name (link).',
      )
    }
  }
}

/** Whose Postgres is that root starts, on this machine; `undefined` where there is no such user. */
function uidOfPostgres(): number | undefined {
  const { status, stdout } = spawnSync('id', ['-u', POSTGRES], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}

class ForeignFile extends Error {
  readonly advice: string
  constructor(message: string, advice: string) {
    super(message)
    this.advice = advice
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
    [LOCK_FILE, RESTORE_MARK, 'temporal.db', join(POSTGRES, 'PG_VERSION')].some((name) => existsSync(join(path, name)))
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
