import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTANTS } from '../faults/mutants.ts'
import { withMutant } from '../faults/mutate.ts'
import { POINTS, withPoints } from '../faults/points.ts'

/** The fault suite changes the source while it is loaded: a place that is not there any more would be told by nobody before it. */
describe('in the source, as it is', () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

  for (const part of ['api', 'worker'] as const) {
    for (const file of new Set(POINTS[part].map((point) => point.file))) {
      it(`the named points of ${part} in ${file} have their places`, () => {
        assert.notEqual(withPoints(part, file, read(file)), read(file))
      })
    }
  }

  for (const [name, mutant] of Object.entries(MUTANTS)) {
    it(`the mutant ${name} has its place`, () => {
      assert.notEqual(withMutant(mutant, mutant.file, read(mutant.file)), read(mutant.file))
    })
  }
})
