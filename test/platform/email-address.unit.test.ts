import assert from 'node:assert/strict'
import { isEmailAddress, emailKey, withoutAddresses } from '../../src/platform/email-address.ts'

describe('email address', () => {
  const university = 'x@mail.some-long-department-name.some-university-of-somewhere.example-university-name.edu'
  it('may be long, international or have a tag', () => {
    const good = ['a@b.co', 'jörg@exämple.de', "o'neil+tag@mail.example.com", 'x@xn--exmple-cua.de', 'b@почта.рф']
    for (const text of [university, ...good, 'a@l·l.cat']) assert.ok(isEmailAddress(text), text)
  })
  const long = `${'a'.repeat(65)}@example.com`
  const withoutAt = ['ada-example.com', 'mail.example.com', '@example.com', 'a@', 'a\uff20example.com']
  const hostile = ['a@b.co\r\nBcc: evil@x.com', 'a@b.co,c@d.co', 'A <a@b.co>']
  it('is not incomplete, a list, or a header', () => {
    for (const bad of ['', 'a', 'a@b', 'a..b@c.de', long, ...withoutAt, ...hostile])
      assert.ok(!isEmailAddress(bad), bad)
  })

  it('rejects a long domain in another script quickly', () => {
    const domain = Array.from({ length: 990 }, (_, n) => String.fromCharCode(0x4e00 + n * 7)).join('')
    for (let n = 0; n < 1_000; n += 1) {
      assert.ok(!isEmailAddress(`a${n}@${domain}.de`))
      assert.equal(emailKey(`A${n}@${domain}.de`), `a${n}@${domain}.de`)
    }
  })

  const SOFT_HYPHEN = '\u00ad'
  const INVISIBLE_AND_OTHERS = [
    ['a soft hyphen', `a@ex${SOFT_HYPHEN}ample.com`],
    ['a soft hyphen in its local part', `a${SOFT_HYPHEN}b@example.com`],
    ['a joiner', 'a\u200db@example.com'],
    ['a direction override', 'a\u202eb@example.com'],
    ['a no-break space', 'a\u00a0b@example.com'],
    ['a control character', 'a\u0007b@example.com'],
    ['fullwidth letters', 'a@ｅｘａｍｐｌｅ.com'],
    ['an invalid domain', 'a@xn--\u00e4.de'],
    ['quotes', '"a b"@example.com'],
    ['typographic quotes', '“ada@example.com”'],
    ['an opening typographic quote', '“ada@example.com'],
    ['a closing typographic quote', 'ada@example.com”'],
    ['guillemets', '«ada@example.com»'],
    ['an ideographic comma at the end', 'ada@example.com、'],
    ['a bullet at the end', 'ada@example.com•'],
    ['a bullet in Punycode', 'ada@example.xn--com-9o0a'],
    ['quotes around a line break', '"a\r\nBcc: x"@example.com'],
    ['a thousand characters', `${'a'.repeat(60)}@${'ä.'.repeat(1_000)}de`],
  ] as const
  it('has no invisible characters, quotes or foreign punctuation', () => {
    for (const [what, bad] of INVISIBLE_AND_OTHERS) assert.ok(!isEmailAddress(bad), what)
  })

  it('is the same mailbox in other case, and in other forms of its domain', () => {
    for (const [one, other] of [
      ['Ada@Example.COM', 'ada@example.com'],
      ['jörg@exämple.de', 'Jörg@EXÄMPLE.de'],
      ['jörg@exämple.de', 'jo\u0308rg@exa\u0308mple.de'],
      ['x@exämple.de', 'x@xn--exmple-cua.de'],
      ['x@exämple.de', 'x@XN--EXMPLE-CUA.DE'],
      ['a@example.com', 'a@example。com'],
      ['a@example.com', 'a@example．com'],
      ['a@example.com', 'a@example｡com'],
    ] as const) {
      assert.ok(isEmailAddress(one) && isEmailAddress(other))
      assert.equal(emailKey(one), emailKey(other))
    }
  })

  it('normalizes incomplete addresses for comparison', () => {
    assert.equal(emailKey('.ORG'), '.org')
    assert.equal(emailKey('EXÄM'), 'exäm')
    assert.equal(emailKey('@EXÄMPLE.'), '@exämple.')
  })
})

describe('withoutAddresses', () => {
  it('removes addresses, and local parts of the recipient', () => {
    for (const [text, expected] of [
      ['550 <ada.l@example.com>: no such user', '550 <…>: no such user'],
      ['mailbox ada.l is full, ADA.L+news too', 'mailbox … is full, … too'],
      ['"grace hopper"@navy.example bounced=40home.example a＠b.c x%40y.z', '… … … …'],
      ['first\nsecond\u200b line', 'first second line'],
      ['ada.lovelace and adal are others', 'ada.lovelace and adal are others'],
    ] as const)
      assert.equal(withoutAddresses(text, 'ada.l+news@example.com'), expected)
  })
})
