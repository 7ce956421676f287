import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import envPaths from 'env-paths'

/**
 * The folder for binaries in the user's cache: it survives a new clone.
 * @throws {Error} that says what to set, where the user has no home
 */
export function cacheFolder(name: string): string {
  const folder = join(envPaths('dripline', { suffix: '' }).cache, name)
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new Error(
      `What is built and fetched once cannot be kept in ${folder}: ${(error as Error).message}. Set XDG_CACHE_HOME to a folder ` +
        'that can be written into (on macOS: HOME), or TEMPORAL_CLI_PATH to a Temporal that is there.',
      { cause: error },
    )
  }
  return folder
}
