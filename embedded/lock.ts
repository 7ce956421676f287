import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export const LOCK_FILE = 'lock.db'

/**
 * Takes a folder for this process alone, or what the file stands for in it. The lock is one that the operating system holds on a file (SQLite's), so it
 * ends with the process, however that ends, and there is no stale one to recognise.
 *
 * @returns what releases it, or `undefined` when another process has it.
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

/** Whether somebody has a folder. Who only asks keeps nobody out, not for a moment. */
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
