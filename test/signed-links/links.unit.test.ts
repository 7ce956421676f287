import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { openLink, signLink } from '../../src/signed-links/links.ts'
import { newId } from '../../src/platform/ids.ts'

describe('a link in an email', () => {
  const secret = createSecretKey(randomBytes(32))
  const of = { contactId: newId(), originId: newId() }
  const token = signLink(secret, 'unsubscribe', of)

  it('belongs to the contact that it was created for', () =>
    assert.deepEqual(openLink(secret, 'unsubscribe', token), of))

  it('contains only IDs', () => assert.match(token, /^[\w-]{66}$/))

  it('is invalid if one of its characters is changed or missing', () => {
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A'
      assert.equal(openLink(secret, 'unsubscribe', token.slice(0, at) + other + token.slice(at + 1)), undefined)
      assert.equal(openLink(secret, 'unsubscribe', token.slice(0, at) + token.slice(at + 1)), undefined)
    }
    for (const wrong of ['', `${token}=`, `${token}AA`, token.toLowerCase(), 'unsubscribe', '../../etc/passwd']) {
      assert.equal(openLink(secret, 'unsubscribe', wrong), undefined)
    }
  })

  it('is invalid in another instance', () =>
    assert.equal(openLink(createSecretKey(randomBytes(32)), 'unsubscribe', token), undefined))
})
