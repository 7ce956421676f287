import assert from 'node:assert/strict'
import { createPlaces } from '../../src/platform/places.ts'

describe('places', () => {
  it('gives each owner as many as are free, and again when they are given back', () => {
    const places = createPlaces(2)
    assert.equal(places.take('a', 1), 1)
    assert.equal(places.take('a', 2), 1)
    assert.equal(places.take('a', 1), 0)
    assert.equal(places.take('b', 1), 1)
    places.giveBack('a', 1)
    assert.equal(places.take('a', 1), 1)
  })
})
