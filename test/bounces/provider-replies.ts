/** The subject of a mailbox provider's reply. */
export type Situation = 'unknown' | 'full' | 'disabled' | 'blocklisted' | 'greylisted' | 'content'

/** The bounce that each situation causes. */
export const EXPECTED: Readonly<Record<Situation, { kind: string; categories: readonly string[] }>> = {
  unknown: { kind: 'HARD', categories: ['MAILBOX_NOT_FOUND'] },
  full: { kind: 'SOFT', categories: ['MAILBOX_FULL'] },
  disabled: { kind: 'HARD', categories: ['MAILBOX_DISABLED', 'MAILBOX_NOT_FOUND'] },
  blocklisted: { kind: 'BLOCKED', categories: ['REPUTATION', 'RATE_LIMIT', 'AUTHENTICATION', 'POLICY'] },
  greylisted: { kind: 'SOFT', categories: ['CONNECTION'] },
  content: { kind: 'BLOCKED', categories: ['CONTENT', 'POLICY'] },
}

/** Replies in the forms of large mailbox providers: their codes and marks, in words of these tests. */
export const REPLIES: Readonly<Record<string, Readonly<Record<Situation, string>>>> = {
  gmail: {
    unknown:
      '550-5.1.1 There is no such account, it does not exist. Look for 550 5.1.1 typing mistakes in the address.',
    full: '452-4.2.2 The account of this recipient is out of storage and 452 4.2.2 over quota.',
    disabled: '550 5.2.1 The account that you wrote to was disabled.',
    blocklisted: '550-5.7.1 [192.0.2.10] This domain has a low reputation among senders, 550 5.7.1 so we refuse it.',
    greylisted: '450 4.3.0 The server refuses this message for some minutes. Come back later.',
    content: '552 5.7.0 We found a dangerous attachment and refuse the message.',
  },
  outlook: {
    unknown: '550 5.5.0 Requested action not taken: mailbox unavailable (S1234). [AM0.mx.example]',
    full: '552 5.2.2 The mailbox of the recipient is full. [AM0.mx.example]',
    disabled: '550 5.2.1 The mailbox is disabled and takes no messages. [AM0.mx.example]',
    blocklisted: '550 5.7.1 We take nothing from [192.0.2.10]: your network is on our block list (S1234).',
    greylisted: '451 4.7.0 Temporary server error, come back later. [AM0.mx.example]',
    content: '550 5.7.520 A rule of the organization says that this is probably spam. [AM0.mx.example]',
  },
  yahoo: {
    unknown: '554 delivery error: dd There is no such user here (ada) [0] - mta1.example',
    full: '552 5.2.2 The mailbox of the recipient is over quota [0] - mta1.example',
    disabled: '554 delivery error: dd The mailbox of ada is disabled now (554.30). - mta1.example',
    blocklisted: '553 5.7.1 [BL21] 192.0.2.10 is on a public blocklist, so we refuse its connections',
    greylisted: '451 4.3.2 An internal error happened, please retry',
    content: '554 5.7.9 Our policy forbids this message',
  },
  icloud: {
    unknown: '550 5.1.1 <ada@mx.example>: this user does not exist',
    full: '552 5.2.2 <ada@mx.example>: over quota',
    disabled: '550 5.2.1 <ada@mx.example>: the account is inactive',
    blocklisted: '550 5.7.0 The address 192.0.2.10 is on a blocklist',
    greylisted: '450 4.7.1 The service is unavailable, come back later',
    content: '554 5.7.1 [HM99] A local policy forbids this message',
  },
  gmx: {
    unknown: '550 Requested action not taken: mailbox unavailable',
    full: '552 Requested mail action aborted: exceeded storage allocation',
    disabled: '550 The account of this user is locked',
    blocklisted: '554 No SMTP service for you: your IP address is block listed',
    greylisted: '450 Requested mail action not taken: greylisted, come back in some minutes',
    content: '554 Transaction failed: the message looks like spam',
  },
  orange: {
    unknown: '550 5.1.1 The address is wrong: unknown recipient. OFR_999 [999]',
    full: '552 5.1.1 The inbox is full: recipient over quota. OFR_999 [999]',
    disabled: '550 5.5.0 The account of the recipient is suspended. OFR_999 [999]',
    blocklisted: '550 mx5 ME The client host sent spam and is blocked. OFR_999 [999]',
    greylisted: '421 mx5 ME The service is busy, come back later. OFR_999 [999]',
    content: '550 5.2.0 Mail refused. OFR_999 [999]',
  },
  mailRu: {
    unknown: '550 Message refused -- mailbox ada@mx.example is unavailable: user not found',
    full: '552 5.2.2 The mailbox is full: it exceeded its quota',
    disabled: '550 Message refused -- mailbox ada@mx.example is unavailable: account is disabled',
    blocklisted: '550 Mail from 192.0.2.10 is rejected: it has a bad reputation',
    greylisted: '451 4.7.1 Greylisted, come back in ten minutes',
    content: '550 spam refused. See https://help.example/not-spam',
  },
}
