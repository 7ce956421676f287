import assert from 'node:assert/strict'
import { triggerOccurrencesOf } from '../../src/contacts/happenings.ts'
import { planJoin } from '../../src/contacts/join-rules.ts'
import { type ContactWrite, planUpsert, type UpsertState } from '../../src/contacts/upsert-rules.ts'
import type { MembershipState } from '../../src/lists/membership.ts'

const LIST = 'list'
const OUTSIDE: MembershipState = { isMember: false, hasOptedOut: false, request: null, listCount: 0, asksToday: 0 }
const OPTED_OUT = { ...OUTSIDE, hasOptedOut: true }
const tag = (key: string) => ({ key, name: key.toUpperCase() })

describe('planUpsert', () => {
  const EXISTING: UpsertState = {
    id: 'contact',
    isCreated: false,
    email: 'ada@example.com',
    isUnconfirmed: false,
    tags: new Set(['old']),
    isSuppressed: false,
    membership: null,
  }
  const NEW: UpsertState = { ...EXISTING, isCreated: true, tags: new Set() }
  const WRITE: ContactWrite = {
    id: 'contact',
    email: 'ada@example.com',
    emailKey: 'ada@example.com',
    externalId: null,
    firstName: undefined,
    metadata: {},
    removedKeys: [],
    listId: null,
    tags: [],
  }
  const joins = (state: UpsertState, membership = OUTSIDE): UpsertState => ({ ...state, membership })
  const TO_LIST = { ...WRITE, listId: LIST }
  const ASKS = { doubleOptIn: true }
  const FILE = { ofFile: true }

  const plan = (state: UpsertState, write: ContactWrite, context: object = {}) => {
    const options = { doubleOptIn: false, ofFile: false, triggers: true, newRequestId: 'new', ...context }
    const planned = planUpsert(state, write, options)
    if ('exceeds' in planned) return planned.exceeds
    const { isUnconfirmed, bumpsConsents, membership, newTags, happenings } = planned
    return [
      membership?.outcome ?? 'no list',
      ...(isUnconfirmed ? ['unconfirmed'] : []),
      ...(bumpsConsents ? ['bumps consent_version'] : []),
      ...newTags.map(({ key }) => `tag ${key}`),
      ...happenings.map(({ type, key }) => `${type} ${key}`.trim()),
    ].join(', ')
  }

  const UNCONFIRMED = { ...EXISTING, isUnconfirmed: true }
  const cases: [string, UpsertState, ContactWrite, object, string][] = [
    ['signs up a new contact', NEW, WRITE, {}, 'no list, SIGNUP'],
    ['starts nothing for an existing contact', EXISTING, WRITE, {}, 'no list'],
    [
      'bumps consent_version for another spelling',
      EXISTING,
      { ...WRITE, email: 'ADA@example.com' },
      {},
      'no list, bumps consent_version',
    ],
    ['adds to a list', joins(EXISTING), TO_LIST, {}, 'added, LIST_ADDED list'],
    ['asks for a double opt-in list', joins(EXISTING), TO_LIST, ASKS, 'requested, LIST_REQUESTED list'],
    [
      'leaves a new contact unconfirmed while the list asks them to confirm',
      joins(NEW),
      TO_LIST,
      ASKS,
      'requested, unconfirmed, LIST_REQUESTED list',
    ],
    [
      'adds a contact who confirmed elsewhere',
      joins(NEW),
      { ...TO_LIST, confirmed: true },
      ASKS,
      'added, SIGNUP, LIST_ADDED list',
    ],
    ['keeps an opt-out', joins(EXISTING, OPTED_OUT), TO_LIST, {}, 'opted-out'],
    [
      'asks a contact to confirm who left and signs up again',
      joins(EXISTING, OPTED_OUT),
      TO_LIST,
      ASKS,
      'requested, LIST_REQUESTED list',
    ],
    [
      'does not ask a contact who left because of an import',
      joins(EXISTING, OPTED_OUT),
      TO_LIST,
      { ...ASKS, ...FILE },
      'opted-out',
    ],
    [
      'adds only new tags',
      EXISTING,
      { ...WRITE, tags: [tag('old'), tag('vip')] },
      {},
      'no list, tag vip, TAG_ADDED vip',
    ],
    [
      'triggers no TAG_ADDED for an unconfirmed contact',
      UNCONFIRMED,
      { ...WRITE, tags: [tag('vip')] },
      {},
      'no list, unconfirmed, tag vip',
    ],
    [
      'confirms a contact through a list without double opt-in, and triggers all their tags',
      joins(UNCONFIRMED),
      { ...TO_LIST, tags: [tag('vip')] },
      {},
      'added, bumps consent_version, tag vip, SIGNUP, LIST_ADDED list, TAG_ADDED old, TAG_ADDED vip',
    ],
    [
      'confirms a contact who confirmed elsewhere',
      joins(UNCONFIRMED, { ...OUTSIDE, isMember: true }),
      { ...TO_LIST, confirmed: true },
      ASKS,
      'member, bumps consent_version, SIGNUP, TAG_ADDED old',
    ],
    ['starts nothing if it is quiet', joins(NEW), { ...TO_LIST, quiet: true }, {}, 'added'],
    ['starts nothing without triggers', joins(NEW), TO_LIST, { triggers: false }, 'added'],
    [
      'adds a suppressed contact of an import to no list',
      joins({ ...EXISTING, isSuppressed: true }),
      { ...TO_LIST, tags: [tag('vip')] },
      FILE,
      'no list, tag vip',
    ],
    [
      'does not ask a suppressed contact of an import',
      joins({ ...NEW, isSuppressed: true }),
      TO_LIST,
      { ...ASKS, ...FILE },
      'no list',
    ],
    [
      'adds a suppressed contact outside an import',
      joins({ ...EXISTING, isSuppressed: true }),
      TO_LIST,
      {},
      'added, LIST_ADDED list',
    ],
    ['rejects one list too many', joins(EXISTING, { ...OUTSIDE, listCount: 1_000 }), TO_LIST, {}, 'list_members_most'],
    [
      'rejects one tag too many',
      { ...EXISTING, tags: new Set(Array.from({ length: 250 }, (_, n) => `${n}`)) },
      { ...WRITE, tags: [tag('vip')] },
      {},
      'contact_tags_most',
    ],
    [
      'accepts existing tags of a contact with the maximum number',
      { ...EXISTING, tags: new Set(Array.from({ length: 250 }, (_, n) => `${n}`)) },
      { ...WRITE, tags: [tag('7')] },
      {},
      'no list',
    ],
  ]
  it('decides about the list, tags, confirmation and triggers of each write', () => {
    const deviations = cases.flatMap(([what, state, write, context, expected]) => {
      const planned = plan(state, write, context)
      return planned === expected ? [] : [{ what, planned, expected }]
    })
    assert.deepEqual(deviations, [])
  })
})

describe('planJoin', () => {
  const state = { contactId: 'contact', emailKey: 'ada@example.com', isUnconfirmed: true, tags: new Set(['old']) }
  const options = { listId: LIST, doubleOptIn: true, resubscribe: false, confirmed: false, newRequestId: 'new' }
  const cases: [string, Partial<typeof state>, MembershipState, Partial<typeof options>, [string, boolean, string]][] =
    [
      ['asks without confirming the contact', {}, OUTSIDE, {}, ['requested', false, 'LIST_REQUESTED']],
      [
        'confirms the contact through a list without double opt-in',
        {},
        OUTSIDE,
        { doubleOptIn: false },
        ['added', true, 'SIGNUP LIST_ADDED TAG_ADDED'],
      ],
      [
        'confirms a member who confirmed elsewhere',
        {},
        { ...OUTSIDE, isMember: true },
        { confirmed: true },
        ['member', true, 'SIGNUP TAG_ADDED'],
      ],
      ['does not confirm a contact who left', {}, OPTED_OUT, { confirmed: true }, ['opted-out', false, '']],
      [
        'triggers no SIGNUP for a confirmed contact',
        { isUnconfirmed: false },
        OUTSIDE,
        { doubleOptIn: false },
        ['added', false, 'LIST_ADDED'],
      ],
    ]
  it('decides about the membership, confirmation and triggers of each request', () => {
    for (const [what, of, membership, how, expected] of cases) {
      const planned = planJoin({ ...state, ...of, membership }, { ...options, ...how })
      const types = planned.happenings.map(({ type }) => type).join(' ')
      assert.deepEqual([planned.membership.outcome, planned.confirms, types], expected, what)
    }
  })
})

describe('triggerOccurrencesOf', () => {
  it('starts only the request for an unconfirmed contact', () => {
    const happenings = triggerOccurrencesOf({
      contactId: 'contact',
      isCreated: true,
      wasUnconfirmed: false,
      isUnconfirmed: true,
      listRequested: LIST,
      newTags: ['vip'],
    })
    assert.deepEqual(happenings, [{ contactId: 'contact', type: 'LIST_REQUESTED', key: LIST }])
  })
})
