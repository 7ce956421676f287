import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Replacement } from './mutants.ts'

/** Applies a mutant to the source of a file. @throws {Error} if the replaced text no longer exists */
export function withMutant({ file: mutated, replace, by }: Replacement, file: string, source: string): string {
  if (mutated !== file) return source
  if (!source.includes(replace)) throw new Error(`The mutant no longer fits ${file}: ${replace}`)
  return source.replace(replace, () => by)
}

/**
 * Copies the source with a mutant of the workflow code, which is bundled from the disk without module hooks.
 * @returns the folder of the copy
 */
export function copyWithMutant(root: string, to: string, mutant: Replacement): string {
  for (const folder of ['src', 'workflows', 'activities', 'scripts', 'embedded', 'package.json']) {
    cpSync(join(root, folder), join(to, folder), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(to, 'node_modules'))
  const path = join(to, mutant.file)
  writeFileSync(path, withMutant(mutant, mutant.file, readFileSync(path, 'utf8')))
  return to
}
