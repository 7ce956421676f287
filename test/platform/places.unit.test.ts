import assert from 'node:assert/strict'
import { createQuota } from '../../src/platform/quota.ts'

describe('places', () => {
  it('gives each owner as many as are free, and again when they are given back', () => {
    const places = createQuota(2)
    assert.equal(places.take('a', 1), 1)
    assert.equal(places.take('a', 2), 1)
    assert.equal(places.take('a', 1), 0)
    assert.equal(places.take('b', 1), 1)
    places.returnQuota('a', 1)
    assert.equal(places.take('a', 1), 1)
  })
})
