import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedAddresses } from './protocol.ts'

/** Tells the other parts, and the command line, where Postgres and Temporal are. */
export const runningFile = (dataDir: string): string => join(dataDir, 'running.json')

/** Written whole or not at all. The password is in it: for the owner of the folder alone. */
export function writeRunning(dataDir: string, addresses: EmbeddedAddresses): void {
  const file = runningFile(dataDir)
  writeFileSync(`${file}.new`, JSON.stringify(addresses), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/**
 * @returns where they are, or nothing when nobody runs on the folder.
 * @throws {Error} when the file is there and cannot be read.
 */
export function readRunning(dataDir: string): EmbeddedAddresses {
  const file = runningFile(dataDir)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as EmbeddedAddresses
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    if (code === 'EACCES')
      throw new Error(`${file} is another user's. Run this as who started Dripline.`, { cause: error })
    throw new Error(`${file} is damaged. Start Dripline again; it writes the file anew.`, { cause: error })
  }
}
