import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { lockFolder } from './lock.ts'
import { isAlive } from './process-table.ts'

const ownerFile = (dataDir: string) => join(dataDir, 'owner.pid')

/** Records the process that uses a data folder. */
export const recordOwner = (dataDir: string, pid: number): void => writeFileSync(ownerFile(dataDir), String(pid))

/** The process that uses a locked data folder, or `undefined` if it is about to end. */
function liveOwner(dataDir: string): number | undefined {
  try {
    const owner = Number(readFileSync(ownerFile(dataDir), 'utf8'))
    return owner > 0 && isAlive(owner) ? owner : undefined
  } catch {
    return undefined
  }
}

/** Reports early that another process uses the folder, which the host process would report late. */
export function assertFolderFree(dataDir: string): void {
  const release = lockFolder(dataDir)
  release?.()
  const owner = release ? undefined : liveOwner(dataDir)
  if (owner !== undefined) throw inUse(dataDir, owner)
}

/**
 * Locks a data folder. A host whose owner has died needs a moment to stop, and is waited for.
 *
 * @param stopAsked ends the wait
 * @returns a function that releases the lock
 * @throws {Error} that names the owner if it is alive, or if the folder is not free within half a minute
 */
export async function takeFolder(dataDir: string, stopAsked?: AbortSignal): Promise<() => void> {
  for (const deadline = Date.now() + 30_000; ; await delay(100)) {
    stopAsked?.throwIfAborted()
    const release = lockFolder(dataDir)
    if (release) return release
    const owner = liveOwner(dataDir)
    if (owner !== undefined || Date.now() > deadline) throw inUse(dataDir, owner)
  }
}

const inUse = (dataDir: string, owner: number | undefined): Error =>
  new Error(
    `Another Dripline${owner === undefined ? '' : ` (process ${owner})`} is running on ${dataDir}. ` +
      'Stop it first, or set DATA_DIR to another folder.',
  )
