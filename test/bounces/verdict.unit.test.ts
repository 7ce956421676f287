import assert from 'node:assert/strict'
import { classifyBounce } from '../../src/bounces/verdict.ts'
import { reportFor } from '../../src/bounces/returned-mail.ts'

describe('classifyBounce', () => {
  for (const [kind, status, reply] of [
    ['HARD', '5.1.1', '550 5.1.1 User unknown'],
    ['HARD', '5.0.0', '550 No such user here'],
    ['HARD', '5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound'],
    ['HARD', '5.1.1', '550 5.1.1 <ada@example.com> User unknown; contact your domain administrator'],
    ['HARD', null, '550 Mailbox not found'],
    ['HARD', null, '552 1 Requested mail action aborted, mailbox not found'],
    ['HARD', null, '550 Unknown recipient'],
    ['HARD', '5.4.1', '550 5.4.1 Recipient address rejected: Access denied.'],
    ['SOFT', null, '550 Too many invalid recipients'],
    ['SOFT', '5.1.1', '550 5.1.1 Too many unknown users from your IP'],
    ['SOFT', '5.1.1', '550 5.1.1 Your IP has sent to too many unknown users'],
    ['BLOCKED', '5.1.1', '550 5.1.1 Your IP address has been blocked: no such user'],
    ['BLOCKED', null, '554 rejected due to spam URL in content; invalid recipient'],
    ['SOFT', '5.6.0', '554 5.6.0 Invalid mailbox syntax in From'],
    ['SOFT', '5.3.2', '554 5.3.2 Mailbox not found temporarily, system shutting down'],
    ['SOFT', '5.4.7', '550 5.4.7 Delivery expired (message too old) unknown recipient host'],
    ['BLOCKED', '5.6.0', '550 5.6.0 Invalid mailbox in From header'],
    ['SOFT', null, '501 5.5.4 Invalid Address'],
    ['SOFT', null, '550 Client host rejected: address not found'],
    ['SOFT', null, '550 authentication failed: user not found'],
    ['BLOCKED', '5.1.1', '550 5.1.1 <me@example.com>: Sender address rejected: User unknown'],
    ['BLOCKED', null, '550 Your domain has no such user as yours'],
    ['SOFT', '5.4.1', 'Connection timed out'],
    ['SOFT', '5.4.1', 'No answer from host'],
    ['SOFT', '5.2.2', '552 5.2.2 Mailbox full'],
    ['SOFT', '5.2.1', '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents more'],
    [
      'BLOCKED',
      '5.0.0',
      '550-Verification failed for <me@example.com> 550-Unrouteable address 550 Sender verify failed',
    ],
    ['BLOCKED', '5.1.0', '550 5.1.0 <me@example.com> sender rejected : invalid sender domain'],
    ['BLOCKED', '5.1.8', '550 5.1.8 Sender address rejected: Domain not found'],
    ['BLOCKED', null, '550 sender domain does not exist'],
    ['BLOCKED', null, '550 SPF record does not exist'],
    ['BLOCKED', null, '550 DKIM key does not exist'],
    ['BLOCKED', null, '550 PTR record does not exist for 192.0.2.1'],
    ['BLOCKED', null, '550 192.0.2.1 is not listed in our allow list'],
    ['BLOCKED', '5.2.3', '552 5.2.3 Message too large'],
    // Words in an address do not count.
    ['HARD', '5.1.1', '550 5.1.1 <ada@sender.example.com>: Recipient address rejected: User unknown'],
    ['HARD', '5.1.1', '550 5.1.1 <spf@example.com>: No such user'],
    ['HARD', null, '550 No such user (overquota@example.com)'],
    ['SOFT', '5.0.0', null],
    ['SOFT', null, '550 5.1.1'.replace('5.1.1', '192.5.1.1')],
  ] as const) {
    it(`returns ${kind} for ${reply ?? status}`, () => assert.equal(classifyBounce(status, reply).kind, kind))
  }

  it('treats a bounce of another domain as soft, even with the same local part', () => {
    const kindOf = (recipient: string | null) =>
      reportFor('ada@example.com', [{ kind: 'HARD', status: '5.1.1', diagnostic: null, recipient }]).kind
    for (const own of [null, 'ada@example.com', 'Ada@EXAMPLE.com', 'ada@mx1.example.com'])
      assert.equal(kindOf(own), 'HARD', String(own))
    for (const other of ['ada@example.net', 'ada@notexample.com', 'eve@example.com', 'ada@gmail.example'])
      assert.equal(kindOf(other), 'SOFT', other)
  })
})
