import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isLocked } from './lock.ts'
import type { EmbeddedAddresses } from './protocol.ts'

/** The file with the addresses of Postgres and Temporal, for other processes and the command line. */
export const runningFile = (dataDir: string): string => join(dataDir, 'running.json')

/** Writes the file atomically. It contains a password, so only its owner can read it. */
export function writeRunning(dataDir: string, addresses: EmbeddedAddresses): void {
  const file = runningFile(dataDir)
  rmSync(`${file}.new`, { force: true })
  writeFileSync(`${file}.new`, JSON.stringify(addresses), { mode: 0o600, flag: 'wx' })
  renameSync(`${file}.new`, file)
}

/**
 * @returns the addresses, or nothing if no process runs on the folder
 * @throws {Error} if the file exists and cannot be read
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
  if (!isAddresses(addresses)) throw new Error(`${file} is damaged. Start Dripline again to write a new one.`)
  // A file that was copied with its folder, or outlived its process, names the servers of another instance.
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
