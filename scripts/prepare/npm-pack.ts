import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

/** Packs a package of this repository as a file. */
export async function packInto(archive: string, what: string, say: (line: string) => void): Promise<void> {
  mkdirSync(dirname(archive), { recursive: true })
  const folder = mkdtempSync(join(dirname(archive), 'pack-'))
  try {
    renameSync(await npmPack(what, folder, say), archive)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
