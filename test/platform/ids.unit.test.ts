import assert from 'node:assert/strict'
import { newId, readId } from '../../src/platform/ids.ts'

describe('readId', () => {
  const id = newId()

  it('returns the lower-case spelling of an ID in capitals', () => {
    assert.equal(readId(id.toUpperCase()), id)
  })

  for (const [spelling, text] of [
    ['in braces', `{${id}}`],
    ['with spaces around it', ` ${id} `],
    ['as a URN', `urn:uuid:${id}`],
    ['without hyphens', id.replaceAll('-', '')],
  ] as const)
    it(`rejects an ID ${spelling}, which Postgres would accept`, () => {
      assert.equal(readId(text), undefined)
    })
})
