import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import envPaths from 'env-paths'

/** The folder for binaries in the user's cache: it survives a new clone. */
export function cacheFolder(name: string): string {
  const folder = join(envPaths('dripline', { suffix: '' }).cache, name)
  mkdirSync(folder, { recursive: true })
  return folder
}
