import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file in the data folder with the key that `npm start` creates if SECRETS_KEY is not set. */
export const SECRETS_KEY_FILE = 'secrets-key'

/** Reads the key of a data folder. @returns `undefined` if it has none */
export function readSecretsKey(dataDir: string): string | undefined {
  const path = join(dataDir, SECRETS_KEY_FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined
}

/** Creates a key in a data folder that has none. Only the owner can read it. @returns the key, and the path of a new file */
export function createSecretsKey(dataDir: string): { key: string; created: string | undefined } {
  const known = readSecretsKey(dataDir)
  if (known !== undefined) return { key: known, created: undefined }
  const path = join(dataDir, SECRETS_KEY_FILE)
  const key = randomBytes(32).toString('base64')
  writeFileSync(path, `${key}\n`, { mode: 0o600, flag: 'wx' })
  return { key, created: path }
}
