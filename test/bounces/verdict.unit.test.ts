import assert from 'node:assert/strict'
import { reportFor } from '../../src/bounces/returned-mail.ts'
import { classifyBounce } from '../../src/bounces/verdict.ts'

describe('classifyBounce', () => {
  const CASES: [kind: string, category: string, status: string | null, reply: string | null][] = [
    // The mailbox.
    ['HARD', 'MAILBOX_NOT_FOUND', '5.1.1', '550 5.1.1 User unknown'],
    ['HARD', 'MAILBOX_NOT_FOUND', '5.0.0', '550 No such user here'],
    [
      'HARD',
      'MAILBOX_NOT_FOUND',
      '5.1.1',
      '550 5.1.1 <ada@example.com> User unknown; contact your domain administrator',
    ],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 Mailbox not found'],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '552 1 Requested mail action aborted, mailbox not found'],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 Unknown recipient'],
    ['HARD', 'MAILBOX_NOT_FOUND', '5.1.0', '550 5.1.0 Recipient rejected'],
    ['HARD', 'MAILBOX_NOT_FOUND', '5.7.1', '550 5.7.1 There is no such user at this site'],
    ['HARD', 'MAILBOX_NOT_FOUND', '5.5.0', '550 5.5.0 Requested action not taken: mailbox unavailable'],
    ['HARD', 'MAILBOX_NOT_FOUND', '5.4.1', '550 5.4.1 Recipient address rejected: Access denied.'],
    ['HARD', 'MAILBOX_NOT_FOUND', '5.0.0', '554 delivery error: This user doesn’t have an example.com account'],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 Message not accepted -- invalid mailbox'],
    ['HARD', 'DOMAIN_NOT_FOUND', '5.1.10', '550 5.1.10 RESOLVER.ADR.RecipientNotFound'],
    ['HARD', 'DOMAIN_NOT_FOUND', '5.4.4', 'Host or domain name not found'],
    ['HARD', 'DOMAIN_NOT_FOUND', '5.4.4', '550 5.4.4 The domain has no mail exchanger'],
    ['HARD', 'DOMAIN_NOT_FOUND', '5.4.4', '550 5.4.4 Invalid domain'],
    ['HARD', 'DOMAIN_NOT_FOUND', null, '550 Unrouteable mail domain "example.com"'],
    ['SOFT', 'DOMAIN_NOT_FOUND', '4.4.4', '450 4.4.4 Invalid domain'],
    ['HARD', 'MAILBOX_DISABLED', '5.2.1', '550 5.2.1 The account is disabled'],
    ['HARD', 'MAILBOX_DISABLED', null, '554 This mailbox has been blocked due to inactivity'],
    ['SOFT', 'MAILBOX_DISABLED', null, '450 The account is temporarily inactive'],
    ['SOFT', 'MAILBOX_FULL', '5.2.2', '552 5.2.2 Mailbox full'],
    ['SOFT', 'MAILBOX_FULL', '5.1.1', '552 5.1.1 The recipient is over quota'],
    ['SOFT', 'MAILBOX_FULL', null, '552 The mailbox does not have enough space for this mail'],
    ['SOFT', 'MAILBOX_FULL', '5.0.0', '552 Mailbox size limit exceeded'],
    // Temporary codes are never hard.
    ['SOFT', 'MAILBOX_NOT_FOUND', '4.1.1', '450 4.1.1 User unknown in local recipient table'],
    ['SOFT', 'MAILBOX_NOT_FOUND', '5.1.1', '450 4.1.1 User unknown'],
    ['SOFT', 'MAILBOX_NOT_FOUND', '4.4.7', '550 5.1.1 User unknown'],
    ['SOFT', 'DOMAIN_NOT_FOUND', '4.0.0', 'The domain has a null MX record'],
    // Us, whatever the code.
    ['BLOCKED', 'RATE_LIMIT', null, '550 Too many invalid recipients'],
    ['BLOCKED', 'RATE_LIMIT', '5.1.1', '550 5.1.1 Your IP has sent to too many unknown users'],
    ['BLOCKED', 'RATE_LIMIT', '5.2.1', '550 5.2.1 The user receives mail at a rate that prevents more'],
    ['BLOCKED', 'RATE_LIMIT', '4.7.28', '421 4.7.28 Unusual rate of mail from your IP address'],
    ['BLOCKED', 'REPUTATION', '5.1.1', '550 5.1.1 Your IP address has been blocked: no such user'],
    ['BLOCKED', 'REPUTATION', '5.1.1', '550 5.7.1 The IP address is on the recipient’s blocklist'],
    ['BLOCKED', 'REPUTATION', '4.7.1', '454 4.7.1 Client host [192.0.2.1] blocked using a DNSBL'],
    ['BLOCKED', 'REPUTATION', null, '550 Client host rejected: address not found'],
    ['BLOCKED', 'REPUTATION', null, '550 192.0.2.1 is not listed in our allow list'],
    ['BLOCKED', 'REPUTATION', null, '550 Your domain has no such user as yours'],
    ['BLOCKED', 'CONTENT', null, '554 rejected due to spam URL in content; invalid recipient'],
    ['BLOCKED', 'CONTENT', '5.2.3', '552 5.2.3 Message too large'],
    ['BLOCKED', 'CONTENT', null, '550 A virus was found'],
    ['BLOCKED', 'POLICY', '5.7.1', '550 5.7.1 Delivery not authorized'],
    ['BLOCKED', 'POLICY', null, '550 Mailbox unavailable. Reject due to policy restrictions'],
    ['BLOCKED', 'POLICY', '5.2.1', '550 5.2.1 The mailbox is disabled for external mail'],
    ['BLOCKED', 'POLICY', null, '550 The address is not a valid destination for you'],
    ['BLOCKED', 'POLICY', '5.2.1', '550 5.2.1 Mailbox disabled for external networks'],
    ['BLOCKED', 'POLICY', '5.1.1', '550 5.1.1 The recipient policy is invalid'],
    ['BLOCKED', 'POLICY', '5.1.1', '550 5.1.1 The group may not exist, or you do not have permission to post to it'],
    ['BLOCKED', 'POLICY', '5.7.1', '550 5.7.1 You are not permitted to post to this mailing list'],
    ['BLOCKED', 'POLICY', null, '550 Rejected by the invalid recipient policy'],
    ['BLOCKED', 'AUTHENTICATION', '5.6.0', '550 5.6.0 Invalid mailbox in From header'],
    ['BLOCKED', 'AUTHENTICATION', null, '550 authentication failed: user not found'],
    ['BLOCKED', 'AUTHENTICATION', '5.1.1', '550 5.1.1 <me@example.com>: Sender address rejected: User unknown'],
    ['BLOCKED', 'AUTHENTICATION', null, '550 The originating address does not exist: no such user'],
    ['BLOCKED', 'AUTHENTICATION', '5.1.0', '550 5.1.0 Not accepted: invalid return address'],
    ['BLOCKED', 'AUTHENTICATION', '5.1.7', '550 5.1.7 No such domain'],
    ['BLOCKED', 'AUTHENTICATION', '5.1.1', '550 5.7.26 Unauthenticated'],
    ['BLOCKED', 'AUTHENTICATION', null, '550 SPF record does not exist'],
    ['BLOCKED', 'AUTHENTICATION', null, '550 PTR record does not exist for 192.0.2.1'],
    ['BLOCKED', 'AUTHENTICATION', null, '554 Relay access denied'],
    ['BLOCKED', 'AUTHENTICATION', '5.0.0', '550-Verification failed for <me@example.com> 550 Sender verify failed'],
    // The connection, and what is unclear.
    ['SOFT', 'CONNECTION', '4.7.1', '451 4.7.1 Greylisting in action, come back in five minutes'],
    ['SOFT', 'CONNECTION', '5.2.1', '550 5.2.1 The account is closed for maintenance'],
    ['SOFT', 'CONNECTION', '4.7.0', '451 4.7.0 Temporary server error'],
    ['SOFT', 'CONNECTION', '5.4.1', 'No answer from host'],
    ['SOFT', 'CONNECTION', '5.3.2', '554 5.3.2 Mailbox not found temporarily, system shutting down'],
    ['SOFT', 'CONNECTION', '5.4.7', '550 5.4.7 Delivery expired (message too old) unknown recipient host'],
    ['SOFT', 'UNKNOWN', null, '501 5.5.4 Invalid Address'],
    ['SOFT', 'UNKNOWN', '5.0.0', null],
    ['SOFT', 'UNKNOWN', null, '550 192.5.1.1'],
    // The remote server's reply outweighs the greeting and the status of the reporting server.
    ['BLOCKED', 'RATE_LIMIT', '5.1.1', '220 mx.example.com ready 421 4.7.0 Too many connections'],
    ['SOFT', 'CONNECTION', '5.1.1', '554 4.4.7 Message expired after 840 minutes.<421 4.4.2 Connection timed out>'],
    // Words in addresses, host names and links do not count.
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 5.1.1 <ada@sender.example.com>: Recipient address rejected: User unknown'],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 5.1.1 <spf@example.com>: No such user'],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 No such user (overquota@example.com)'],
    ['HARD', 'MAILBOX_NOT_FOUND', null, '550 No such user. See https://spam.example.com/policy?ip=192.0.2.1'],
  ]

  it('finds the kind and the category of a status and a reply', () => {
    const deviations = CASES.flatMap(([kind, category, status, reply]) => {
      const verdict = classifyBounce(status, reply)
      return verdict.kind === kind && verdict.category === category ? [] : [{ status, reply, verdict, kind, category }]
    })
    assert.deepEqual(deviations, [])
  })

  it('shows the status of the remote server, unless only the reporting server has a specific one', () => {
    const statusOf = (status: string | null, reply: string) => classifyBounce(status, reply).status
    assert.equal(statusOf('5.1.1', '550 5.7.1 Blocked'), '5.7.1')
    assert.equal(statusOf('5.2.2', '552 5.0.0 Mailbox full'), '5.2.2')
    assert.equal(statusOf('5.0.0', '552 Mailbox full'), '5.0.0')
    assert.equal(statusOf(null, '552 Mailbox full'), null)
  })

  it('ignores the status of the reporting server if the remote server rejected the content after it accepted the recipient', () => {
    const kindOf = (reply: string, status: string | null = null) => {
      const text = `<ada@example.com>: host mx.example.com said: ${reply} (in reply to end of DATA command)`
      return classifyBounce(status, reply, text).kind
    }
    assert.equal(kindOf('550 Failed', '5.1.1'), 'SOFT')
    assert.equal(kindOf('550 Unknown user'), 'HARD')
    assert.equal(kindOf('550 5.1.1 Unknown user'), 'HARD')
  })

  it('reads the reply in the text if the report shortens it', () => {
    const text =
      'SMTP error from the remote mail server after end of data:\n  550 5.2.0 From:\n  the domain is invalid\n\n'
    assert.equal(classifyBounce('5.2.0', '550 5.2.0', text).category, 'AUTHENTICATION')
  })

  it('treats a bounce of another domain as soft, even with the same local part', () => {
    const kindOf = (recipient: string | null) =>
      reportFor('ada@example.com', [
        { kind: 'HARD', category: 'MAILBOX_NOT_FOUND', status: '5.1.1', diagnostic: null, recipient },
      ]).kind
    for (const own of [null, 'ada@example.com', 'Ada@EXAMPLE.com', 'ada@mx1.example.com'])
      assert.equal(kindOf(own), 'HARD', String(own))
    for (const other of ['ada@example.net', 'ada@notexample.com', 'eve@example.com', 'ada@gmail.example'])
      assert.equal(kindOf(other), 'SOFT', other)
  })
})
