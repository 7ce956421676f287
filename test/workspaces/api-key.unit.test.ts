import assert from 'node:assert/strict'
import fc from 'fast-check'
import { generateApiKey, isWellFormedApiKey, visiblePrefix } from '../../src/workspaces/api-key.ts'

describe('API key', () => {
  it('has the prefix of its mode, and a checksum', () => {
    for (const mode of ['live', 'test'] as const) {
      const key = generateApiKey(mode)
      assert.match(key, new RegExp(`^svc_${mode}_[0-9A-Za-z]{38}$`))
      assert.ok(isWellFormedApiKey(key))
      assert.equal(visiblePrefix(key), key.slice(0, 15))
    }
  })

  it('rejects a key with any single character mistyped', () => {
    const key = generateApiKey('live')
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...'0aZ_-'), (at, character) => {
        fc.pre(key[at] !== character)
        assert.ok(!isWellFormedApiKey(key.slice(0, at) + character + key.slice(at + 1)))
      }),
    )
  })
})
