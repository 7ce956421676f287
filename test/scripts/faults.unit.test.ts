import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MUTANTS } from '../faults/mutants.ts'
import { TESTED_MUTANTS } from '../faults/tested-mutants.ts'
import { withMutant } from '../faults/mutate.ts'
import { POINTS, withPoints } from '../faults/points.ts'
import { STORIES } from '../faults/stories/index.ts'
import { WORLDS } from '../simulation/world-names.ts'

const sourceOf = (file: string) => readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

describe('The fault suite', () => {
  for (const [part, points] of Object.entries(POINTS)) {
    it(`has points that match the source of the ${part}`, () => {
      for (const file of new Set(points.map((point) => point.file))) {
        assert.notEqual(withPoints(part as keyof typeof POINTS, file, sourceOf(file)), sourceOf(file))
      }
    })
  }

  it('has mutants that match the source with its points', () => {
    for (const mutant of Object.values(MUTANTS)) {
      for (const part of Object.keys(POINTS) as (keyof typeof POINTS)[]) {
        const source = withPoints(part, mutant.file, sourceOf(mutant.file))
        assert.notEqual(withMutant(mutant, mutant.file, source), source)
      }
    }
  })

  it('has tests for each mutant that npm test notices, which fit the source', () => {
    for (const [name, mutant] of Object.entries(TESTED_MUTANTS)) {
      assert.notEqual(withMutant(mutant, mutant.file, sourceOf(mutant.file)), sourceOf(mutant.file), name)
      assert.ok(mutant.tests.length > 0 && mutant.tests.every((test) => sourceOf(test) !== ''), name)
    }
  })

  it('has a world or a story for each mutant', () => {
    for (const [name, { worlds, stories }] of Object.entries(MUTANTS)) {
      assert.ok(worlds.length + stories.length > 0, name)
      for (const world of worlds) assert.ok(world in WORLDS, `${name}: ${world}`)
      for (const story of stories) assert.ok(story in STORIES, `${name}: ${story}`)
    }
  })
})
