import assert from 'node:assert/strict'
import { enrollmentsToEnd, type StoppedEmails } from '../../src/consent/rules.ts'

const ENROLLMENTS = [
  { contactId: 'ann', automationId: 'marketing', emails: 2, transactional: 0, addedTo: 'news', asksFor: null },
  { contactId: 'ann', automationId: 'receipt', emails: 2, transactional: 1, addedTo: 'news', asksFor: null },
  { contactId: 'ann', automationId: 'silent', emails: 0, transactional: 0, addedTo: 'news', asksFor: null },
  { contactId: 'ann', automationId: 'asking', emails: 1, transactional: 1, addedTo: null, asksFor: 'news' },
  { contactId: 'ann', automationId: 'other', emails: 1, transactional: 0, addedTo: 'offers', asksFor: null },
]

describe('enrollmentsToEnd', () => {
  const cases: [string, StoppedEmails, string[]][] = [
    [
      'all enrollments with an email',
      { kind: 'address', reason: 'BOUNCED' },
      ['marketing', 'receipt', 'asking', 'other'],
    ],
    ['enrollments without a transactional email', { kind: 'address', reason: 'UNSUBSCRIBED' }, ['marketing', 'other']],
    ['enrollments that a list started', { kind: 'list', listId: 'news' }, ['marketing']],
    ['enrollments that ask for a list', { kind: 'request', listId: 'news' }, ['asking']],
  ]
  for (const [what, stop, expected] of cases) {
    it(`ends ${what}`, () => {
      const ended = enrollmentsToEnd(ENROLLMENTS, () => [stop])
      assert.deepEqual(
        ended.map(({ automationId }) => automationId),
        expected,
      )
    })
  }

  it('ignores enrollments of other contacts', () => {
    const bobs = ENROLLMENTS.map((enrollment) => ({ ...enrollment, contactId: 'bob' }))
    const stopsOf = (contactId: string): StoppedEmails[] =>
      contactId === 'bob' ? [{ kind: 'address', reason: 'MANUAL' }] : []
    const ended = enrollmentsToEnd([...ENROLLMENTS, ...bobs], stopsOf)
    assert.deepEqual(new Set(ended.map(({ contactId }) => contactId)), new Set(['bob']))
  })
})
