import assert from 'node:assert/strict'
import { startDeadline } from '../../src/rendering/deadline.ts'

describe("a render's deadline", () => {
  /** Returns how a job ends in a process that gets this share of a processor. */
  const endOf = (share: number) => {
    const begin = performance.now()
    const usedMs = () => (performance.now() - begin) * share
    return new Promise((resolve) => startDeadline({ deadlineMs: 50, wallMs: 600 }, usedMs, resolve))
  }

  it('ends a job that used its processor time', async () => {
    assert.equal(await endOf(1), 'late')
  })

  it('ends a job as busy if it got too little processor time', async () => {
    assert.equal(await endOf(0.01), 'busy')
  })
})
