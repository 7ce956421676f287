import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LOCK_FILE } from './lock.ts'

/**
 * Makes the data folder and what is in it for the owner alone: everything that is stored passes through it.
 * @throws {Error} that names DATA_DIR, where it cannot be made or written into.
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
    if (isOurs(dataDir)) chmodSync(dataDir, 0o700 | (statSync(dataDir).mode & 0o010))
    makeFolder(join(dataDir, 'logs'))
    accessSync(dataDir, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(
      `DATA_DIR (${dataDir}) cannot be used: ${reasonOf(error)}. Set it to a folder that can be written into.`,
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

/** Whether a folder's rights are ours to set: a new one or one from before, and not somebody's home. */
export function isOurs(path: string): boolean {
  const names = readdirSync(path)
  return statSync(path).uid === process.getuid?.() && (names.length === 0 || names.includes(LOCK_FILE))
}

function reasonOf(error: unknown): string {
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

/** In a data folder that a restore is filling: what is unpacked lies in it. */
export const RESTORE_MARK = 'restore.unfinished'
export const restoreMark = (dataDir: string): string => join(dataDir, RESTORE_MARK)

/** @throws {Error} where a restore was broken off, and half of a backup would be started. */
export function assertNotHalfRestored(dataDir: string): void {
  if (!existsSync(restoreMark(dataDir))) return
  throw new Error(
    `A restore into ${dataDir} was broken off, or is at work: it is half of a backup, and nothing runs on it. ` +
      'Restore it again: npm run cli -- restore FILE',
  )
}

/**
 * By what a data folder is told from its copies: when its database was made, which a file system says of the file itself, and keeps
 * where the folder is moved within it. `undefined` where it does not say so.
 */
export function identityOf(dataDir: string): string | undefined {
  const { birthtimeNs } = statSync(join(dataDir, 'postgres', 'PG_VERSION'), { bigint: true })
  return birthtimeNs > 0n ? String(birthtimeNs) : undefined
}
