import assert from 'node:assert/strict'
import { splitMetadata } from '../../src/contacts/metadata.ts'

describe('metadata', () => {
  it('is split into keys to set and keys to remove, whatever they are called', () => {
    const { set, removedKeys } = splitMetadata(
      JSON.parse('{"__proto__":{"x":1},"constructor":2,"gone":null}') as Record<string, unknown>,
    )
    assert.equal(JSON.stringify(set), '{"__proto__":{"x":1},"constructor":2}')
    assert.deepEqual(removedKeys, ['gone'])
  })
})
