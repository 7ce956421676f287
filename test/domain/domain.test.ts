import assert from 'node:assert/strict'
import { isEmailAddress, emailKey } from '../../src/domain/email-address.ts'
import { findJsonFault } from '../../src/domain/json.ts'
import { messageIdHeader } from '../../src/domain/messages.ts'
import { splitMetadata } from '../../src/domain/metadata.ts'
import { describeDelay, describeStep } from '../../src/domain/steps.ts'
import { triggerKey } from '../../src/domain/triggers.ts'

describe('email address', () => {
  for (const good of ['a@b.co', 'jörg@exämple.de', "o'neil+tag@mail.example.com", 'x@xn--exmple-cua.de']) {
    it(`takes ${good}`, () => assert.ok(isEmailAddress(good)))
  }
  const long = `${'a'.repeat(65)}@example.com`
  for (const bad of ['', 'a', 'a@b', 'a..b@c.de', long, 'a@b.co\r\nBcc: evil@x.com', 'a@b.co,c@d.co', 'A <a@b.co>']) {
    it(`refuses ${JSON.stringify(bad)}`, () => assert.ok(!isEmailAddress(bad)))
  }
  it('is compared without case', () => assert.equal(emailKey('Ada@Example.COM'), emailKey('ada@example.com')))
})

describe('JSON that is stored', () => {
  it('may hold anything that is text', () => assert.equal(findJsonFault({ a: ['ü', { b: '𝄞' }], c: null }), undefined))
  it('holds no NUL', () => assert.match(findJsonFault({ a: { b: ['x\0'] } }) ?? '', /^a\.b\[0\] holds a NUL/))
  it('holds no NUL in a key', () => assert.match(findJsonFault({ a: { 'k\0': 1 } }) ?? '', /^a key of a holds a NUL/))
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
