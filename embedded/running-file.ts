import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLocked } from './lock.ts'
import type { EmbeddedAddresses } from './protocol.ts'

/** Tells the other parts, and the command line, where Postgres and Temporal are. */
export const runningFile = (dataDir: string): string => join(dataDir, 'running.json')

/** Written whole or not at all. The password is in it: for the owner of the folder alone. */
export function writeRunning(dataDir: string, addresses: EmbeddedAddresses): void {
  const file = runningFile(dataDir)
  rmSync(`${file}.new`, { force: true })
  writeFileSync(`${file}.new`, JSON.stringify(addresses), { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.new`, file)
}

/**
 * @returns where they are, or nothing when nobody runs on the folder.
 * @throws {Error} when the file is there and cannot be read.
 */
export function readRunning(dataDir: string): EmbeddedAddresses {
  const file = runningFile(dataDir)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw new Error(`${file} cannot be read (${code}). Run this as the user who started Dripline.`, { cause: error })
  }
  const addresses = parse(text)
  if (!isAddresses(addresses)) throw new Error(`${file} is damaged. Start Dripline again; it writes the file anew.`)
  // What was copied with a folder, or has outlived its process, leads to somebody else.
  return isLocked(dataDir) ? addresses : {}
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isAddresses = (value: unknown): value is EmbeddedAddresses =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((address) => typeof address === 'string')
