import assert from 'node:assert/strict'
import { explainReply } from '../../dashboard/src/lib/server-reply.ts'

// Replies as mail servers send them: Gmail, Outlook, Yahoo, Postfix, Exim, and the errors of Node.
const REPLIES: [reply: string, words: string | undefined][] = [
  ['250 2.0.0 OK 1732900000 d9443c01a7336-gsmtp', 'Accepted by the mail server'],
  ['250 OK', 'Accepted by the mail server'],
  ['550-5.1.1 The email account that you tried to reach does not exist.', 'Address does not exist'],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found', 'Domain accepts no email'],
  ['552-5.2.2 The email account that you tried to reach is over quota', 'Mailbox is full'],
  ['421 4.7.28 Gmail has detected an unusual rate of mail', 'Receiving server reports too much mail'],
  [
    '550 5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited',
    'Refused by the receiving server’s policy',
  ],
  ['550 5.7.26 This mail has been blocked because the sender is unauthenticated', 'SPF and DKIM checks failed'],
  ['451 4.3.2 Please try again later', 'Server is not accepting email now'],
  ['554 Your IP 203.5.1.10 is listed', 'Rejected by the mail server'],
  ['451 4.7.1 Greylisted, try again', 'Mail server asks to try again later'],
  ['550 5.4.1 Recipient address rejected: Access denied', 'Rejected by the mail server'],
  ['421 Service not available', 'Mail server asks to try again later'],
  ['554 Transaction failed', 'Rejected by the mail server'],
  ['535 Authentication credentials invalid', 'Mail server rejected the sign-in'],
  ['connect ECONNREFUSED 127.0.0.1:25', 'Mail server cannot be reached'],
  ['getaddrinfo ENOTFOUND smtp.example.com', 'Name of the mail server cannot be looked up'],
  ['Greeting never received, connection timed out', 'Mail server did not answer in time'],
  ['The contact has unsubscribed', undefined],
]

describe('replies of mail servers in words', () => {
  for (const [reply, words] of REPLIES)
    it(`${reply} is ${words ?? 'left as it is'}`, () => assert.equal(explainReply(reply), words))
})
