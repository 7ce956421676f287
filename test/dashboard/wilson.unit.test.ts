import assert from 'node:assert/strict'
import { differenceOf, wilson } from '../../dashboard/src/lib/wilson.ts'

/** Rounds as the papers do. */
const rounded = (value: number) => Number(value.toFixed(4))

describe('confidence intervals of rates', () => {
  // Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
  const SHARES: [value: number, total: number, low: number, high: number][] = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ]
  for (const [value, total, low, high] of SHARES) {
    it(`are those of the literature for ${value} of ${total}`, () => {
      const found = wilson(value, total)
      assert.deepEqual([rounded(found.low), rounded(found.high)], [low, high])
    })
  }

  // Newcombe, "Interval estimation for the difference between independent proportions" (1998), table II, method 10.
  it('are those of the literature for a difference', () => {
    const found = differenceOf({ value: 48, total: 80 }, { value: 56, total: 70 })
    assert.deepEqual([found.difference, found.low, found.high].map(rounded), [0.2, 0.0524, 0.3339])
    const few = differenceOf({ value: 3, total: 10 }, { value: 9, total: 10 })
    assert.deepEqual([few.low, few.high].map(rounded), [0.1705, 0.809])
  })

  it('cover everything without results', () => {
    assert.deepEqual(wilson(0, 0), { low: 0, high: 1 })
  })
})
