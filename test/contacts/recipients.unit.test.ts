import assert from 'node:assert/strict'
import { type Recipient, suppressionOf } from '../../src/contacts/recipients.ts'
import type { SuppressedBy, SuppressionReason } from '../../src/contacts/suppression.ts'

const recipient = (fields: Partial<Recipient> = {}): Recipient => ({
  contactId: 'contact',
  email: 'ada@example.com',
  firstName: null,
  metadata: {},
  consentVersion: 0,
  suppressions: [],
  optOutListIds: [],
  isUnconfirmed: false,
  isInAnyList: false,
  ...fields,
})

describe('the suppression of a message', () => {
  const cases: [
    what: string,
    contact: Partial<Recipient>,
    listIds: string[],
    marketing: SuppressedBy | null,
    transactional: SuppressedBy | null,
  ][] = [
    ['a contact without restrictions', {}, ['news'], null, null],
    ['an opt-out of the list', { optOutListIds: ['news'] }, ['news'], 'LEFT_LIST', null],
    ['an opt-out of one of two lists', { optOutListIds: ['offers'] }, ['news', 'offers'], 'LEFT_LIST', null],
    ['an opt-out of another list', { optOutListIds: ['offers'] }, ['news'], null, null],
    ['an opt-out where no list is involved', { optOutListIds: ['news'] }, [], null, null],
    ['an unconfirmed contact', { isUnconfirmed: true }, [], 'UNCONFIRMED', null],
    ['an unconfirmed contact that is in a list', { isUnconfirmed: true, isInAnyList: true }, [], null, null],
    ['both', { isUnconfirmed: true, optOutListIds: ['news'] }, ['news'], 'UNCONFIRMED', null],
    ['an opt-out and a bounce', { suppressions: ['BOUNCED'], optOutListIds: ['news'] }, ['news'], 'BOUNCED', 'BOUNCED'],
    [
      'an unsubscribe and a complaint',
      { suppressions: ['UNSUBSCRIBED', 'COMPLAINED'] },
      [],
      'COMPLAINED',
      'COMPLAINED',
    ],
    [
      'an unsubscribe and an unconfirmed contact',
      { suppressions: ['UNSUBSCRIBED'], isUnconfirmed: true },
      [],
      'UNSUBSCRIBED',
      null,
    ],
  ]
  for (const [what, contact, listIds, marketing, transactional] of cases) {
    it(`by ${what} is ${marketing ?? 'none'} for marketing`, () => {
      assert.equal(suppressionOf(recipient(contact), { category: 'marketing', listIds }), marketing)
    })
    it(`by ${what} is ${transactional ?? 'none'} for transactional emails`, () => {
      assert.equal(suppressionOf(recipient(contact), { category: 'transactional', listIds }), transactional)
    })
  }

  const reasons: Record<SuppressionReason, { transactional: boolean }> = {
    UNSUBSCRIBED: { transactional: false },
    IMPORTED: { transactional: false },
    BOUNCED: { transactional: true },
    COMPLAINED: { transactional: true },
    MANUAL: { transactional: true },
  }
  for (const [name, { transactional }] of Object.entries(reasons)) {
    const reason = name as SuppressionReason
    it(`applies ${reason} to marketing${transactional ? ' and transactional emails' : ' only'}`, () => {
      const of = (category: 'marketing' | 'transactional') =>
        suppressionOf(recipient({ suppressions: [reason] }), { category, listIds: [] })
      assert.deepEqual([of('marketing'), of('transactional')], [reason, transactional ? reason : null])
    })
  }
})
