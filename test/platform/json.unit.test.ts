import assert from 'node:assert/strict'
import { findJsonFault } from '../../src/platform/json.ts'

describe('JSON that is stored', () => {
  it('may hold anything that is text', () => assert.equal(findJsonFault({ a: ['ü', { b: '𝄞' }], c: null }), undefined))
  it('holds no NUL', () => assert.match(findJsonFault({ a: { b: ['x\0'] } }) ?? '', /^a\.b\[0\] holds a NUL/))
  it('holds no NUL in a key', () => assert.match(findJsonFault({ a: { 'k\0': 1 } }) ?? '', /^a key of a holds a NUL/))
  it('holds no number that is none', () =>
    assert.match(findJsonFault({ a: { b: [JSON.parse('1e400')] } }) ?? '', /^a\.b\[0\] is a number too large/))
  it('is told by a path of a length that can be read', () =>
    assert.ok((findJsonFault({ a: { ['k'.repeat(60_000)]: '\0' } }) ?? '').length < 300))
  it('holds no half of a surrogate pair', () => assert.match(findJsonFault({ a: '\ud800' }) ?? '', /surrogate/))
  it('is not nested ten thousand deep', () => {
    const deep: unknown = JSON.parse(`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`)
    assert.match(findJsonFault(deep) ?? '', /^a is nested deeper than 100 levels/)
  })
})
