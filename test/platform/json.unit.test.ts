import assert from 'node:assert/strict'
import { findJsonFault } from '../../src/platform/json.ts'

describe('findJsonFault', () => {
  it('accepts any text', () => assert.equal(findJsonFault({ a: ['ü', { b: '𝄞' }], c: null }), undefined))
  it('rejects a NUL', () => assert.match(findJsonFault({ a: { b: ['x\0'] } }) ?? '', /^a\.b\[0\] holds a NUL/))
  it('rejects a NUL in a key', () => assert.match(findJsonFault({ a: { 'k\0': 1 } }) ?? '', /^a key of a holds a NUL/))
  it('rejects a number that is too large', () =>
    assert.match(findJsonFault({ a: { b: [JSON.parse('1e400')] } }) ?? '', /^a\.b\[0\] is a number too large/))
  it('shortens the path in its message', () =>
    assert.ok((findJsonFault({ a: { ['k'.repeat(60_000)]: '\0' } }) ?? '').length < 300))
  it('rejects half a surrogate pair', () => assert.match(findJsonFault({ a: '\ud800' }) ?? '', /surrogate/))
  it('rejects ten thousand levels of nesting', () => {
    const deep: unknown = JSON.parse(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)
    assert.match(findJsonFault(deep) ?? '', /^a is nested deeper than 100 levels/)
  })
})
