import assert from 'node:assert/strict'
import { makeGround, type GroundPostgres } from './ground.ts'
import { tryAll } from './shards.ts'
import { WORLDS } from './world-names.ts'

const SEEDS = { from: 1, to: 3 }

describe('the simulation', function () {
  this.timeout(600_000)
  let ground: GroundPostgres
  before(async () => {
    ground = await makeGround(1)
  })
  after(() => ground.close())

  it('keeps the guarantees in every world with three seeds', async () => {
    const worlds = Object.keys(WORLDS)
    const { schedules, found } = await tryAll(ground.urls, { worlds, seeds: SEEDS })
    const report = found && [...found.trace, ...found.violations, `npm run test:simulation -- ${found.how}`].join('\n')
    assert.equal(report, undefined)
    assert.equal(schedules, worlds.length * SEEDS.to)
  })
})
