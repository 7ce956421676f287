import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from './lock.ts'
import { isAlive } from './process-table.ts'

const ownerFile = (dataDir: string) => join(dataDir, 'owner.pid')

/** Writes down for whom a data folder is in use. */
export const recordOwner = (dataDir: string, pid: number): void => writeFileSync(ownerFile(dataDir), String(pid))

/** Who uses a data folder whose lock another process has, or `undefined` when that one is about to end. */
export function liveOwner(dataDir: string): number | undefined {
  try {
    const owner = Number(readFileSync(ownerFile(dataDir), 'utf8'))
    return owner > 0 && isAlive(owner) ? owner : undefined
  } catch {
    return undefined
  }
}

/** Says early what the host process would say late: that somebody is running on the folder. */
export function assertFolderFree(dataDir: string): void {
  const release = lockFolder(dataDir)
  release?.()
  const owner = release ? undefined : liveOwner(dataDir)
  if (owner !== undefined) throw inUse(dataDir, owner)
}

export const inUse = (dataDir: string, owner: number | undefined): Error =>
  new Error(
    `Another Dripline${owner === undefined ? '' : ` (process ${owner})`} is running on ${dataDir}. ` +
      'Stop it first, or set DATA_DIR to another folder.',
  )
