import assert from 'node:assert/strict'
import { createQuota } from '../../src/platform/quota.ts'

describe('a quota', () => {
  it('grants each owner the free units, and grants them again after they are returned', () => {
    const places = createQuota(2)
    assert.equal(places.take('a', 1), 1)
    assert.equal(places.take('a', 2), 1)
    assert.equal(places.take('a', 1), 0)
    assert.equal(places.take('b', 1), 1)
    places.returnQuota('a', 1)
    assert.equal(places.take('a', 1), 1)
  })
})
