import assert from 'node:assert/strict'
import { startDeadline } from '../../src/templates/deadline.ts'

const DEADLINE_MS = 50
const WALL_MS = 600

describe("a render's deadline", () => {
  /** How a job ends in a thread that uses this part of a processor, or that answers nothing. */
  const endOf = async (share: number | 'silent') => {
    const begin = performance.now()
    const cpuUsage = () =>
      share === 'silent'
        ? new Promise<never>(() => undefined)
        : Promise.resolve({ user: (performance.now() - begin) * share * 1_000, system: 0 })
    const how = await new Promise((resolve) =>
      startDeadline({ deadlineMs: DEADLINE_MS, wallMs: WALL_MS }, { cpuUsage }, resolve),
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

  it('is over for a thread that is inside one long call and answers nothing', async () => {
    assert.equal((await endOf('silent')).how, 'late')
  })
})
