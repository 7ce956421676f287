import assert from 'node:assert/strict'
import { startDeadline } from '../../src/rendering/deadline.ts'

const DEADLINE_MS = 50
const WALL_MS = 600

describe("a render's deadline", () => {
  /** How a job ends in a process that uses this part of a processor. */
  const endOf = async (share: number) => {
    const begin = performance.now()
    const usedMs = () => (performance.now() - begin) * share
    const how = await new Promise((resolve) =>
      startDeadline({ deadlineMs: DEADLINE_MS, wallMs: WALL_MS }, usedMs, resolve),
    )
    return { how, ms: performance.now() - begin }
  }

  it('is processor time', async () => {
    const { how, ms } = await endOf(1)
    assert.equal(how, 'late')
    assert.ok(ms < WALL_MS, `${ms} ms`)
  })

  it('is not used up by a machine that is busy, until the net below', async () => {
    const { how, ms } = await endOf(0.01)
    assert.equal(how, 'busy')
    assert.ok(ms >= WALL_MS - DEADLINE_MS, `${ms} ms`)
  })
})
