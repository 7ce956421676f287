import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTANTS } from './mutants.ts'
import { withMutant } from './mutate.ts'
import { POINTS, withPoints } from './points.ts'

const ROOT = join(import.meta.dirname, '../..')
const source = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** They are played for hours and now and then; that they still stand in the source is seen at once. */
describe('what the fault suite puts into the source', () => {
  for (const [name, mutant] of Object.entries(MUTANTS)) {
    it(`fits: ${name}`, () => void withMutant(mutant, mutant.file, source(mutant.file)))
  }
  for (const part of ['api', 'worker'] as const) {
    for (const file of new Set(POINTS[part].map((point) => point.file))) {
      it(`fits: the points of ${part} in ${file}`, () => void withPoints(part, file, source(file)))
    }
  }
})
