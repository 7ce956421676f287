import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createDriplineClient, type DriplineClient } from '@dripline/client'
import { UsageError } from './command.ts'

/** An instance, and a key of one of its workspaces. */
export interface Login {
  url: string
  apiKey: string
}

/** There is no key. The exit code is 3. */
export class NotLoggedInError extends Error {
  override name = 'NotLoggedInError'
}

/** A command that waits for a person retries less than a backend does. */
const RETRIES = 3

export function configFile(env: NodeJS.ProcessEnv): string {
  const base = process.platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  return join(base || join(homedir(), '.config'), 'dripline', 'login.json')
}

/** Normalizes the URL of an instance: `https://mail.example.com/`, or with `/api/v1`. @throws {UsageError} */
export function parseUrl(text: string): string {
  const given = text.trim()
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new UsageError('The URL must look like https://mail.example.com.')
  }
  const { origin, pathname } = new URL(given)
  return origin + pathname.replace(/\/(api\/v1\/?)?$/, '')
}

/** Stores a login for this user only. */
export function saveLogin(file: string, login: Login): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'w' })
  // An older file keeps its mode when it is overwritten.
  chmodSync(partial, 0o600)
  renameSync(partial, file)
}

export const deleteLogin = (file: string): void => rmSync(file, { force: true })

function readStored(file: string): Partial<Login> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Login>
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new NotLoggedInError(`${file} cannot be read. Run "dripline login" again.`, { cause: error })
  }
}

/** Returns the login of the environment, or the stored one. @throws {NotLoggedInError} */
export function readLogin(env: NodeJS.ProcessEnv): Login {
  const stored = env['DRIPLINE_URL'] && env['DRIPLINE_API_KEY'] ? {} : readStored(configFile(env))
  const url = env['DRIPLINE_URL'] ? parseUrl(env['DRIPLINE_URL']) : stored.url
  // The stored key is sent only to the instance that it belongs to.
  const apiKey = env['DRIPLINE_API_KEY'] || (url === stored.url ? stored.apiKey : undefined)
  if (url === undefined || apiKey === undefined) {
    throw new NotLoggedInError(
      env['DRIPLINE_URL'] || env['DRIPLINE_API_KEY']
        ? 'Set both DRIPLINE_URL and DRIPLINE_API_KEY, or run "dripline login".'
        : 'You are not logged in. Run "dripline login", or set DRIPLINE_URL and DRIPLINE_API_KEY.',
    )
  }
  return { url, apiKey }
}

export function connect(
  { url, apiKey }: Login,
  onWarning: (warning: string) => void,
  retries = RETRIES,
): DriplineClient {
  try {
    return createDriplineClient({ baseUrl: `${url}/api/v1`, apiKey, retries, onWarning })
  } catch {
    throw new NotLoggedInError('The API key must look like svc_live_…, without spaces. Run "dripline login" again.')
  }
}
