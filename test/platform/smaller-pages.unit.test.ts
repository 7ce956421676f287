import assert from 'node:assert/strict'
import { withSmallerPages } from '../../src/platform/db/smaller-pages.ts'

describe('withSmallerPages', () => {
  const tooLong = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  it('halves the page after a timeout, down to one row', async () => {
    const limits: number[] = []
    const run = (most: number) =>
      withSmallerPages(5, (limit) => {
        limits.push(limit)
        return limit > most ? Promise.reject(tooLong) : Promise.resolve(limit)
      })
    assert.equal(await run(2), 2)
    assert.deepEqual(limits, [5, 3, 2])
    await assert.rejects(run(0), tooLong)
  })
  it('does not retry after another error', async () => {
    let calls = 0
    await assert.rejects(
      withSmallerPages(5, () => ((calls += 1), Promise.reject(new Error('syntax')))),
      /syntax/,
    )
    assert.equal(calls, 1)
  })
})
