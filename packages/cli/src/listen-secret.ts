import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { configFile } from './login.ts'

/**
 * Returns the secret that signs the events that this computer forwards. It is created at the first use, and the same at every
 * later one, so that a server under development can keep it.
 */
export function readListenSecret(env: NodeJS.ProcessEnv): string {
  const file = join(dirname(configFile(env)), 'listen-secret')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, `whsec_${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (!/^whsec_[\w+/]{32,}=*$/.test(secret))
    throw new Error(`${file} contains no secret. Delete the file, and try again.`)
  return secret
}
