import assert from 'node:assert/strict'
import { MESSAGE_STATUSES, type MessageStatus } from '../../src/messages/message.ts'
import {
  assertTransition,
  type AttemptStatus,
  type Intent,
  isRetryable,
  RETRYABLE,
  statusAfter,
  statusesBefore,
  TRANSITIONS,
} from '../../src/messages/transitions.ts'

describe('the transitions of a message', () => {
  const allowed: Record<MessageStatus, string> = {
    QUEUED: 'SENDING DEFERRED CAPTURED FAILED UNCONFIRMED SUPPRESSED DISMISSED',
    SENDING: 'QUEUED DEFERRED SENT CAPTURED FAILED UNCONFIRMED DISMISSED',
    DEFERRED: 'SENDING DEFERRED CAPTURED FAILED UNCONFIRMED SUPPRESSED DISMISSED',
    SENT: '',
    CAPTURED: 'SENDING CAPTURED FAILED UNCONFIRMED SUPPRESSED',
    FAILED: 'SENDING CAPTURED FAILED UNCONFIRMED SUPPRESSED',
    UNCONFIRMED: 'SENDING SENT FAILED UNCONFIRMED DISMISSED',
    SUPPRESSED: '',
    DISMISSED: '',
  }

  it('allow the listed changes and no others', () => {
    const found = Object.fromEntries(
      MESSAGE_STATUSES.map((before) => {
        const isAllowed = (next: MessageStatus) => statusesBefore(next).includes(before)
        for (const next of MESSAGE_STATUSES) {
          const check = () => assertTransition(before, next)
          if (isAllowed(next)) assert.doesNotThrow(check)
          else assert.throws(check, new Error(`A message cannot go from ${before} to ${next}`))
        }
        return [before, MESSAGE_STATUSES.filter(isAllowed).toSorted()]
      }),
    )
    const expected = Object.entries(allowed).map(([before, next]) => [
      before,
      next.split(' ').filter(Boolean).toSorted(),
    ])
    assert.deepEqual(found, Object.fromEntries(expected))
  })

  it('never allows SENDING to change to a status that is sent again automatically, except QUEUED and DEFERRED', () => {
    const canBeSent = statusesBefore('SENDING')
    const sentAutomatically = TRANSITIONS.SENDING.filter((status) => canBeSent.includes(status) && !isRetryable(status))
    assert.deepEqual(sentAutomatically, ['QUEUED', 'DEFERRED'])
  })

  it('allows SENDING after every final status that can be retried, and after no other', () => {
    const final = statusesBefore('SENDING').filter((status) => status !== 'QUEUED' && status !== 'DEFERRED')
    assert.deepEqual([...final].toSorted(), [...RETRYABLE].toSorted())
  })
})

describe('the status of a message after an attempt', () => {
  const outcomes: AttemptStatus[] = ['SENT', 'CAPTURED', 'FAILED', 'SUPPRESSED', 'UNCONFIRMED', 'DEFERRED']
  const cases: { before: MessageStatus; intents: Intent[]; after: Partial<Record<AttemptStatus, AttemptStatus>> }[] = [
    // The first attempts leave the message in the status of their outcome.
    { before: 'QUEUED', intents: ['send'], after: {} },
    { before: 'DEFERRED', intents: ['send', 'retry', 'resend'], after: {} },
    // The outcome of the first attempt is unknown. Only a later successful attempt changes that.
    {
      before: 'UNCONFIRMED',
      intents: ['retry', 'resend'],
      after: {
        CAPTURED: 'UNCONFIRMED',
        FAILED: 'UNCONFIRMED',
        SUPPRESSED: 'UNCONFIRMED',
        DEFERRED: 'UNCONFIRMED',
      },
    },
    // A deferred retry does not change the message.
    { before: 'FAILED', intents: ['retry', 'resend'], after: { DEFERRED: 'FAILED' } },
    { before: 'CAPTURED', intents: ['retry', 'resend'], after: { DEFERRED: 'CAPTURED' } },
  ]

  it('is that of its outcome, unless an earlier attempt may have arrived or the retry was deferred', () => {
    const deviations = []
    for (const { before, intents, after } of cases)
      for (const intent of intents)
        for (const outcome of outcomes) {
          const status = statusAfter({ before, intent }, outcome)
          const expected = after[outcome] ?? outcome
          if (status !== expected) deviations.push({ before, intent, outcome, status, expected })
        }
    assert.deepEqual(deviations, [])
  })
})
