import { readFileSync } from 'node:fs'
import { MUTANTS } from './mutants.ts'
import { withMutant } from './mutate.ts'
import { POINTS, withPoints } from './points.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

describe('the quotes of the fault suite', () => {
  it('fit the source at each point', () => {
    for (const part of ['api', 'worker'] as const)
      for (const file of new Set(POINTS[part].map((point) => point.file))) withPoints(part, file, read(file))
  })

  it('fit the source for each mutant', () => {
    for (const mutant of Object.values(MUTANTS)) withMutant(mutant, mutant.file, read(mutant.file))
  })
})
