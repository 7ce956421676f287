import assert from 'node:assert/strict'
import { isEmailAddress, emailKey } from '../../src/platform/email-address.ts'
import { findJsonFault } from '../../src/platform/json.ts'
import { messageIdHeader } from '../../src/messages/message.ts'
import { splitMetadata } from '../../src/contacts/metadata.ts'
import { describeStep } from '../../src/sequences/steps/index.ts'
import { describeDelay } from '../../src/sequences/steps/wait.ts'
import { triggerKey } from '../../src/triggers/trigger.ts'

describe('email address', () => {
  for (const good of ['a@b.co', 'jörg@exämple.de', "o'neil+tag@mail.example.com", 'x@xn--exmple-cua.de']) {
    it(`takes ${good}`, () => assert.ok(isEmailAddress(good)))
  }
  const long = `${'a'.repeat(65)}@example.com`
  for (const bad of ['', 'a', 'a@b', 'a..b@c.de', long, 'a@b.co\r\nBcc: evil@x.com', 'a@b.co,c@d.co', 'A <a@b.co>']) {
    it(`refuses ${JSON.stringify(bad)}`, () => assert.ok(!isEmailAddress(bad)))
  }
  const SOFT_HYPHEN = '\u00ad'
  for (const [what, bad] of [
    ['a soft hyphen', `a@ex${SOFT_HYPHEN}ample.com`],
    ['a soft hyphen in its local part', `a${SOFT_HYPHEN}b@example.com`],
    ['a joiner', 'a\u200db@example.com'],
    ['a mark of direction', 'a\u202eb@example.com'],
    ['a no-break space', 'a\u00a0b@example.com'],
    ['a control character', 'a\u0007b@example.com'],
    ['letters that stand for others', 'a@ｅｘａｍｐｌｅ.com'],
    ['a domain that is none', 'a@xn--\u00e4.de'],
    ['quotes', '"a b"@example.com'],
    ['quotes around a line break', '"a\r\nBcc: x"@example.com'],
    ['a thousand characters', `${'a'.repeat(60)}@${'ä.'.repeat(1_000)}de`],
  ] as const) {
    it(`refuses one with ${what}`, () => assert.ok(!isEmailAddress(bad)))
  }

  for (const [one, other] of [
    ['jörg@exämple.de', 'Jörg@EXÄMPLE.de'],
    ['jörg@exämple.de', 'jo\u0308rg@exa\u0308mple.de'],
    ['x@exämple.de', 'x@xn--exmple-cua.de'],
    ['x@exämple.de', 'x@XN--EXMPLE-CUA.DE'],
    ['a@example.com', 'a@example。com'],
    ['a@example.com', 'a@example．com'],
    ['a@example.com', 'a@example｡com'],
  ] as const) {
    it(`${one} is the same mailbox as ${other}`, () => {
      assert.ok(isEmailAddress(one) && isEmailAddress(other))
      assert.equal(emailKey(one), emailKey(other))
    })
  }
  it('of which only a part is given is compared as well', () => {
    assert.equal(emailKey('.ORG'), '.org')
    assert.equal(emailKey('EXÄM'), 'exäm')
    assert.equal(emailKey('@EXÄMPLE.'), '@exämple.')
  })
  it('is compared without case', () => assert.equal(emailKey('Ada@Example.COM'), emailKey('ada@example.com')))
})

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

describe('metadata', () => {
  it('is split into keys to set and keys to remove, whatever they are called', () => {
    const { set, removedKeys } = splitMetadata(
      JSON.parse('{"__proto__":{"x":1},"constructor":2,"gone":null}') as Record<string, unknown>,
    )
    assert.equal(JSON.stringify(set), '{"__proto__":{"x":1},"constructor":2}')
    assert.deepEqual(removedKeys, ['gone'])
  })
})

describe('trigger key', () => {
  it('folds the case of event names', () =>
    assert.equal(
      triggerKey('EVENT', { eventName: 'Straße PURCHASED' }),
      triggerKey('EVENT', { eventName: 'straße purchased' }),
    ))
  it('is nothing where nothing is configured', () => assert.equal(triggerKey('EVENT', {}), null))
})

describe('a step in words', () => {
  it('names days, hours and minutes', () => assert.equal(describeDelay(1501), '1 day 1 hour 1 minute'))
  it('says where it is', () =>
    assert.equal(
      describeStep(
        [
          { id: 'a', type: 'EMAIL' },
          { id: 'b', type: 'WAIT', delayMinutes: 60 },
        ],
        1,
      ),
      '2 of 2: WAIT 1 hour',
    ))
})

describe('Message-ID', () => {
  it('is the same for the same key, and another for another visit', () => {
    const key = { enrollmentId: 'e', stepId: 's', visit: 0 }
    assert.equal(messageIdHeader(key, 'example.com'), messageIdHeader({ ...key }, 'example.com'))
    assert.notEqual(messageIdHeader(key, 'example.com'), messageIdHeader({ ...key, visit: 1 }, 'example.com'))
  })
})
