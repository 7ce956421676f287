import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import envPaths from 'env-paths'

/**
 * The folder for binaries in the user's cache, which several clones share. @throws {Error} that states what to set if the user has
 * no home folder
 */
export function cacheFolder(name: string): string {
  const folder = join(envPaths('dripline', { suffix: '' }).cache, name)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Error(
      `Programs cannot be stored in ${folder}: ${(error as Error).message}. Set XDG_CACHE_HOME to a writable ` +
        'folder (on macOS: HOME), or TEMPORAL_CLI_PATH to an existing Temporal CLI.',
      { cause: error },
    )
  }
  return folder
}
