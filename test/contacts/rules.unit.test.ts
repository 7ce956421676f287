import assert from 'node:assert/strict'
import { happeningsOf } from '../../src/contacts/happenings.ts'
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
    ['starts nothing for a contact who is there', EXISTING, WRITE, {}, 'no list'],
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
      'leaves a new contact unconfirmed who is asked',
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
      'asks a contact who left and signs up again',
      joins(EXISTING, OPTED_OUT),
      TO_LIST,
      ASKS,
      'requested, LIST_REQUESTED list',
    ],
    ['does not ask them because of a file', joins(EXISTING, OPTED_OUT), TO_LIST, { ...ASKS, ...FILE }, 'opted-out'],
    [
      'writes tags that are new',
      EXISTING,
      { ...WRITE, tags: [tag('old'), tag('vip')] },
      {},
      'no list, tag vip, TAG_ADDED vip',
    ],
    [
      'starts no tag of an unconfirmed contact',
      UNCONFIRMED,
      { ...WRITE, tags: [tag('vip')] },
      {},
      'no list, unconfirmed, tag vip',
    ],
    [
      'confirms a contact by a list that asks nothing, with all of their tags',
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
      'puts a suppressed contact of a file into no list',
      joins({ ...EXISTING, isSuppressed: true }),
      { ...TO_LIST, tags: [tag('vip')] },
      FILE,
      'no list, tag vip',
    ],
    [
      'asks a suppressed contact of a file nothing',
      joins({ ...NEW, isSuppressed: true }),
      TO_LIST,
      { ...ASKS, ...FILE },
      'no list',
    ],
    [
      'adds a suppressed contact that is no file’s',
      joins({ ...EXISTING, isSuppressed: true }),
      TO_LIST,
      {},
      'added, LIST_ADDED list',
    ],
    ['refuses a list too many', joins(EXISTING, { ...OUTSIDE, listCount: 1_000 }), TO_LIST, {}, 'list_members_most'],
    [
      'refuses a tag too many',
      { ...EXISTING, tags: new Set(Array.from({ length: 250 }, (_, n) => `${n}`)) },
      { ...WRITE, tags: [tag('vip')] },
      {},
      'contact_tags_most',
    ],
    [
      'takes tags that a contact with many has',
      { ...EXISTING, tags: new Set(Array.from({ length: 250 }, (_, n) => `${n}`)) },
      { ...WRITE, tags: [tag('7')] },
      {},
      'no list',
    ],
  ]
  for (const [what, state, write, context, expected] of cases) {
    it(what, () => {
      assert.equal(plan(state, write, context), expected)
    })
  }
})

describe('planJoin', () => {
  const state = { contactId: 'contact', emailKey: 'ada@example.com', isUnconfirmed: true, tags: new Set(['old']) }
  const options = { listId: LIST, doubleOptIn: true, resubscribe: false, confirmed: false, newRequestId: 'new' }
  const cases: [string, Partial<typeof state>, MembershipState, Partial<typeof options>, [string, boolean, string]][] =
    [
      ['asks, and confirms nobody', {}, OUTSIDE, {}, ['requested', false, 'LIST_REQUESTED']],
      [
        'confirms by a list that asks nothing',
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
        'signs nobody up who has',
        { isUnconfirmed: false },
        OUTSIDE,
        { doubleOptIn: false },
        ['added', false, 'LIST_ADDED'],
      ],
    ]
  for (const [what, of, membership, how, expected] of cases) {
    it(what, () => {
      const planned = planJoin({ ...state, ...of, membership }, { ...options, ...how })
      const types = planned.happenings.map(({ type }) => type).join(' ')
      assert.deepEqual([planned.membership.outcome, planned.confirms, types], expected)
    })
  }
})

describe('happeningsOf', () => {
  it('starts nothing but the request for an unconfirmed contact', () => {
    const happenings = happeningsOf({
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
