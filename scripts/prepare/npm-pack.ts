import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../embedded/tools/run.ts'

/**
 * Has npm make or get the archive of a package.
 * @param what a folder, or a name and a version of the registry
 * @param folder empty; the archive is put into it
 * @returns the archive's path
 */
export async function npmPack(what: string, folder: string, say: (line: string) => void): Promise<string> {
  await run('npm', ['pack', what, '--ignore-scripts', '--pack-destination', folder], { say })
  const [archive] = readdirSync(folder)
  if (archive === undefined) throw new Error('npm pack left no archive')
  return join(folder, archive)
}
