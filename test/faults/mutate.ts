import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutants.ts'

/** Breaks a file's source as a mutant says. @throws {Error} where its text is not there any more. */
export function withMutant({ file: mutated, replace, by }: Mutant, file: string, source: string): string {
  if (mutated !== file) return source
  if (!source.includes(replace)) throw new Error(`The mutant does not fit ${file} any more: ${replace}`)
  return source.replace(replace, () => by)
}

/**
 * Workflow code is bundled from the disk, past any hook on the loading of modules: a mutant of it is a copy of the source.
 * @returns the folder of the copy.
 */
export function copyWithMutant(root: string, to: string, mutant: Mutant): string {
  for (const folder of ['src', 'workflows', 'activities', 'scripts', 'embedded', 'package.json']) {
    cpSync(join(root, folder), join(to, folder), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'))
  const path = join(to, mutant.file)
  writeFileSync(path, withMutant(mutant, mutant.file, readFileSync(path, 'utf8')))
  return to
}
