import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Only who made something may rename it there, such as in /tmp. */
const STICKY = 0o1000

/**
 * Whoever may rename a folder, or one above it, can put his own in its place, and reads what is written into that.
 * @throws {Error} that says which of them is whose
 */
export function assertNobodyElsesPath(path: string): void {
  const { uid, gid, mode } = statSync(path)
  const us = process.getuid?.() ?? 0
  if (uid !== us && uid !== 0) throw new Error(`${path} belongs to another user (${uid}), who could read what is saved`)
  // A group of its own is what many systems give each user.
  const writers = gid === process.getgid?.() ? 0o002 : 0o022
  if (mode & writers && !(mode & STICKY)) throw new Error(`others may write into ${path}, and could read what is saved`)
  if (dirname(path) !== path) assertNobodyElsesPath(dirname(path))
}
