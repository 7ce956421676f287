import assert from 'node:assert/strict'
import { points } from '../../dashboard/src/lib/format.ts'

describe('a difference in percentage points', () => {
  for (const [difference, expected] of [
    [0.025, '+2.5'],
    [-0.123, '−12.3'],
    [0, '0.0'],
    [-0.0004, '0.0'],
  ] as const)
    it(`is ${expected} for ${difference}`, () => assert.equal(points(difference), expected))
})
