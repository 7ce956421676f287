import { readFileSync } from 'node:fs'

/** The version of Dripline, which is also that of its API. */
export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
