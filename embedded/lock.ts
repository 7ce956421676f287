import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const LOCK_FILE = 'lock.db'

/**
 * Locks a folder for this process, or another resource by the name of the lock file. The operating system holds the lock on a
 * file (through SQLite), so it ends with the process in any case and cannot be stale.
 *
 * @returns a function that releases it, or `undefined` if another process has it
 */
export function lockFolder(folder: string, lockFile = LOCK_FILE): (() => void) | undefined {
  const file = new DatabaseSync(join(folder, lockFile))
  try {
    file.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch {
    file.close()
    return undefined
  }
  return () => file.close()
}

/** Returns whether a folder is locked. The check itself never keeps a process from locking it. */
export function isLocked(folder: string): boolean {
  const file = new DatabaseSync(join(folder, LOCK_FILE))
  try {
    file.exec('select 1 from sqlite_schema')
    return false
  } catch {
    return true
  } finally {
    file.close()
  }
}
