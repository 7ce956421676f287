import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../embedded/tools/run.ts'

/**
 * Runs npm pack for a package. @param what a folder, or a name and a version in the registry @param folder an empty folder for
 * the archive @returns the archive's path
 */
export async function npmPack(what: string, folder: string, say: (line: string) => void): Promise<string> {
  await run('npm', ['pack', what, '--ignore-scripts', '--pack-destination', folder], { say })
  const [archive] = readdirSync(folder)
  if (archive === undefined) throw new Error('npm pack produced no archive')
  return join(folder, archive)
}
