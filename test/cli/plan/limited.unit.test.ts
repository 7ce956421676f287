import assert from 'node:assert/strict'
import { limited } from '../../../packages/cli/src/plan/limited.ts'

describe('limited concurrency of the command line', () => {
  it('returns the results in the order of the items', async () => {
    const items = Array.from({ length: 20 }, (_, n) => n)
    const results = await limited(items, async (item) => {
      // The first items take the longest.
      for (let n = item; n < 20; n += 1) await Promise.resolve()
      return `${item}!`
    })
    assert.deepEqual([results.length, results[0], results[19]], [20, '0!', '19!'])
  })

  it('takes no further items after an error', async () => {
    const started: number[] = []
    const apply = async (item: number) => {
      started.push(item)
      await Promise.resolve()
      if (item === 3) throw new Error('Item 3 failed')
    }
    await assert.rejects(
      limited(
        Array.from({ length: 100 }, (_, n) => n),
        apply,
      ),
      { message: 'Item 3 failed' },
    )
    // Those that run continue to their end.
    await new Promise(setImmediate)
    assert.ok(started.length < 24, `${started.length} started`)
  })
})
