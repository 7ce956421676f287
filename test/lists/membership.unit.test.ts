import assert from 'node:assert/strict'
import {
  MAX_CONFIRMATION_EMAILS_PER_DAY,
  MAX_LISTS_OF_CONTACT,
  type MembershipState,
  planMembership,
  planPreferences,
} from '../../src/lists/membership.ts'

const KEY = 'ada@example.com'
const NOTHING: MembershipState = { isMember: false, hasOptedOut: false, request: null, listCount: 0, asksToday: 0 }
const asked = { id: 'old', emailKey: KEY, wasAsked: true }
const unasked = { ...asked, wasAsked: false }
const elsewhere = { ...asked, emailKey: 'other@example.com' }

describe('planMembership', () => {
  const plan = (state: Partial<MembershipState>, { mustConfirm = false, resubscribe = false } = {}) => {
    const request = { emailKey: KEY, mustConfirm, resubscribe, newRequestId: 'new' }
    const planned = planMembership({ ...NOTHING, ...state }, request)
    return planned.outcome === 'requested' ? `requested ${planned.requestId}` : planned.outcome
  }
  const [CONFIRM, RESUBSCRIBE] = [{ mustConfirm: true }, { resubscribe: true }]

  const cases: [string, Partial<MembershipState>, { mustConfirm?: boolean; resubscribe?: boolean }, string][] = [
    ['adds a contact', {}, {}, 'added'],
    ['changes nothing for a member', { isMember: true }, {}, 'member'],
    ['does not ask a member', { isMember: true }, CONFIRM, 'member'],
    ['respects an opt-out', { hasOptedOut: true }, {}, 'opted-out'],
    ['respects an opt-out where the list requires confirmation', { hasOptedOut: true }, CONFIRM, 'opted-out'],
    ['adds a contact who asked to rejoin', { hasOptedOut: true }, RESUBSCRIBE, 'added'],
    ['asks a contact who asked to rejoin', { hasOptedOut: true }, { ...CONFIRM, ...RESUBSCRIBE }, 'requested new'],
    ['adds to the last list that a contact may be in', { listCount: MAX_LISTS_OF_CONTACT - 1 }, {}, 'added'],
    ['rejects one list too many', { listCount: MAX_LISTS_OF_CONTACT }, {}, 'full'],
    [
      'changes nothing for a member who is in the maximum number of lists',
      { isMember: true, listCount: MAX_LISTS_OF_CONTACT },
      {},
      'member',
    ],
    ['asks a contact', {}, CONFIRM, 'requested new'],
    ['does not ask again after a confirmation request', { request: asked }, CONFIRM, 'pending'],
    ['asks with the same link if nothing was sent yet', { request: unasked }, CONFIRM, 'requested old'],
    ['asks with another link at another address', { request: elsewhere }, CONFIRM, 'requested new'],
    [
      'asks up to the daily limit of an address',
      { asksToday: MAX_CONFIRMATION_EMAILS_PER_DAY - 1 },
      CONFIRM,
      'requested new',
    ],
    [
      'does not ask an address beyond its daily limit',
      { asksToday: MAX_CONFIRMATION_EMAILS_PER_DAY },
      CONFIRM,
      'asked-often',
    ],
    [
      'keeps a pending request of an address beyond its daily limit',
      { asksToday: MAX_CONFIRMATION_EMAILS_PER_DAY, request: unasked },
      CONFIRM,
      'pending',
    ],
    [
      'ignores a request for another address',
      { asksToday: MAX_CONFIRMATION_EMAILS_PER_DAY, request: elsewhere },
      CONFIRM,
      'asked-often',
    ],
    ['adds a contact with a pending request who confirmed elsewhere', { request: asked }, {}, 'added'],
  ]
  it('depends on the opt-outs, the confirmation request and the limits of a contact', () => {
    const deviations = []
    for (const [what, state, request, expected] of cases) {
      const planned = plan(state, request)
      if (planned !== expected) deviations.push({ what, planned, expected })
    }
    assert.deepEqual(deviations, [])
  })
})

describe('planPreferences', () => {
  const lists = [
    { id: 'in', isMember: true },
    { id: 'out', isMember: false },
  ]
  it('joins and leaves visible lists as chosen, and joins none through a link that went to another address', () => {
    assert.deepEqual(planPreferences(lists, ['out'], true), { join: ['out'], leave: ['in'] })
    assert.deepEqual(planPreferences(lists, ['in'], true), { join: [], leave: [] })
    assert.deepEqual(planPreferences(lists, ['out'], false), { join: [], leave: ['in'] })
    assert.deepEqual(planPreferences(lists, ['in', 'hidden'], true), { join: [], leave: [] })
  })
})
