import assert from 'node:assert/strict'
import { runUntilStopped } from '../../src/bin/lifecycle.ts'
import { createHealth, exitWhenUnhealthy } from '../../src/runtime/health.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'

describe('a process that cannot recover', () => {
  it('ends after a while, unless it recovers first', async () => {
    let problem: string | undefined = 'broken'
    let looks = 0
    const health = createHealth()
    health.watch(() => {
      looks += 1
      return problem
    })
    const now = performance.now.bind(performance)
    let ahead = 0
    performance.now = () => now() + ahead
    /** Waits until the process has looked twice: at least one of the looks began after the call. */
    const looked = async () => {
      const before = looks
      await eventually('two looks', () => (looks >= before + 2 ? true : undefined))
    }
    try {
      let ended: unknown
      const watch = exitWhenUnhealthy(health, quietLog, { lookMs: 5, patienceMs: 100_000 })
      watch.ended.catch((error: unknown) => (ended = error))
      await looked()
      ahead += 60_000
      await looked()
      problem = undefined
      await looked()
      problem = 'broken again'
      await looked()
      ahead += 60_000
      await looked()
      assert.equal(ended, undefined)
      ahead += 60_000
      await looked()
      assert.match(String(ended), /cannot recover: broken again/)
    } finally {
      performance.now = now
    }
  })

  it('closes everything that it opened, even if something cannot be closed, and reports why it ended', async () => {
    const closed: string[] = []
    const running = runUntilStopped(new AbortController().signal, (closers) => {
      closers.add(() => Promise.resolve(void closed.push('first')))
      closers.add(() => Promise.reject(new Error('cannot be closed')))
      closers.add(() => Promise.resolve(void closed.push('last')))
      return Promise.resolve([{ ended: Promise.reject(new Error('the reason')) }])
    })
    await assert.rejects(running, /the reason/)
    assert.deepEqual(closed, ['last', 'first'])
  })
})
