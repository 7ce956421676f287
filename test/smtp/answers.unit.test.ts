import assert from 'node:assert/strict'
import { codesOf, isRateRejection, rejectionScopeOf } from '../../src/smtp/answers.ts'
import type { RejectionScope } from '../../src/smtp/status-codes.ts'

describe('rejectionScopeOf', () => {
  const cases: [RejectionScope, string, string][] = [
    ['message', 'RCPT TO', '550 5.1.1 <to@example.com>: Recipient address rejected: User unknown'],
    ['message', 'RCPT TO', '550-5.1.1 The email account that you tried to reach\n550 5.1.1 does not exist'],
    ['message', 'RCPT TO', '552 5.2.2 mailbox full'],
    ['message', 'RCPT TO', '556 5.1.10 null MX'],
    ['message', 'RCPT TO', '551 not here'],
    ['message', 'RCPT TO', '553 5.6.7 address in Unicode'],
    ['message', 'DATA', '552 5.3.4 too big'],
    ['message', 'DATA', '552-5.7.0 This message was blocked because of its attachment'],
    ['message', 'DATA', '554 5.6.0 malformed'],
    ['message', 'MAIL FROM', '550 5.6.7 internationalized addresses are not permitted'],
    ['message', 'MAIL FROM', '552 5.3.4 too big'],
    ['message', 'MAIL FROM', '552 too big'],

    ['us', 'MAIL FROM', '553 5.7.1 <me@example.com>: Sender address rejected: not owned by user me'],
    ['us', 'MAIL FROM', '550 5.1.1 no such sender'],
    ['us', 'MAIL FROM', '552 5.2.2 your mailbox is full'],
    ['us', 'MAIL FROM', '550 no'],
    ['us', 'RCPT TO', '550 5.1.8 <me@example.com>: Sender address rejected: Domain not found'],
    ['us', 'RCPT TO', '450 4.1.8 <me@example.com>: Sender address rejected: Domain not found'],
    ['us', 'RCPT TO', '530 5.7.0 log in first'],
    ['us', 'RCPT TO', '503 5.5.1 MAIL first'],
    ['us', 'RCPT TO', '521 5.3.2 not in service'],
    ['us', 'RCPT TO', '452 4.3.1 Insufficient system storage'],
    ['us', 'DATA', '550 5.4.5 Daily user sending limit exceeded'],
    ['us', 'DATA', '550-5.4.5 Daily user sending limit\n550 5.4.5 exceeded'],
    ['us', 'DATA', '550 5.1.8 Access denied, bad outbound sender AS(42004)'],
    ['us', 'DATA', '550 5.7.26 unauthenticated'],

    ['either', 'RCPT TO', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org'],
    ['either', 'RCPT TO', '550 5.4.1 Recipient address rejected: Access denied'],
    ['either', 'RCPT TO', '550 5.1.0 Address rejected'],
    ['either', 'RCPT TO', '501 5.5.4 syntax'],
    ['either', 'RCPT TO', '550 5.1.90 daily limit'],
    ['either', 'RCPT TO', '550 no such user'],
    ['either', 'RCPT TO', '550 5.1.1x'],
    ['either', 'DATA', '554 Sending paused for this account'],
    ['either', 'DATA', '451 4.3.0 local error'],
  ]
  it('returns what a rejection is about, by command and code', () => {
    const deviations = cases
      .map(([about, command, refusal]) => ({ about, command, refusal, found: rejectionScopeOf(command, refusal) }))
      .filter(({ about, found }) => found !== about)
    assert.deepEqual(deviations, [])
  })
})

describe('codesOf', () => {
  it('returns only the codes', () => {
    assert.equal(codesOf('550 5.1.1 <to@example.com>: unknown'), '550 5.1.1')
    assert.equal(codesOf('550-5.7.26 one\n550 5.7.26 two'), '550 5.7.26')
    assert.equal(codesOf('550 <to@example.com> unknown'), '550')
    assert.equal(codesOf('to@example.com'), 'without a code')
  })
})

describe('isRateRejection', () => {
  const isRate = (response: string) => isRateRejection('RCPT TO', response)

  it('recognizes responses about the rate or the number of connections', () => {
    const responses = [
      '421 4.7.28 Mail arrives at an unusual rate',
      '421 4.7.28 Come back later',
      '451 4.7.0 Too many concurrent connections',
      '452 4.5.3 Your host sends too fast, slow down',
      '421 Throttled',
      '454 Sending limit exceeded',
    ]
    assert.deepEqual(responses.filter(isRate), responses)
  })

  it('does not apply to other responses, or at MAIL, where the server limits us', () => {
    const responses = [
      '451 4.3.0 The corporate server cannot operate at the moment',
      '450 4.7.1 Greylisted, try again later',
      '452 4.2.2 Mailbox limit exceeded',
      '550 5.7.1 Sent at a rate that is not allowed',
    ]
    assert.deepEqual(responses.filter(isRate), [])
    assert.equal(isRateRejection('MAIL FROM', '451 4.7.0 Too many messages'), false)
  })
})
