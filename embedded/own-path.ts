import { statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Only who made something may rename it there, such as in /tmp. */
const STICKY = 0o1000

/** Whether what somebody owns is as good as ours: it is ours or root's. */
export const isTrusted = (uid: number): boolean => uid === (process.getuid?.() ?? 0) || uid === 0

/**
 * Whoever may rename a folder, or one above it, can put his own in its place, and reads what is written into that.
 * @throws {Error} that says which of them is whose
 */
export function assertNobodyElsesPath(path: string): void {
  const { uid, mode } = statSync(path)
  if (!isTrusted(uid)) throw new Error(`${path} belongs to another user (${uid}), who could read what is saved`)
  // A group of one's own, too: of a list of access these bits are the mask, and say nothing of who is in it.
  if (mode & 0o022 && !(mode & STICKY)) {
    throw new Error(`others may write into ${path}, and could read what is saved (chmod go-w, where they need not)`)
  }
  if (dirname(path) !== path) assertNobodyElsesPath(dirname(path))
}
