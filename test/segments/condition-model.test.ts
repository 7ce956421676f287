import assert from 'node:assert/strict'
import fc from 'fast-check'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import {
  ACTIVITIES,
  COMPARISONS,
  type Compared,
  type Condition,
  type ConditionPart,
  type EventFilter,
  MESSAGE_CONDITIONS,
  RELATIVE_COMPARISONS,
  TEXT_COMPARISONS,
  TIME_COMPARISONS,
  UNARY_COMPARISONS,
} from '../../src/segments/condition.ts'
import { conditionSql } from '../../src/segments/condition-sql.ts'
import { contactMatches } from '../../src/segments/contact-matches.ts'
import { instantOf } from '../../src/segments/compare-in-memory.ts'
import { conditionHolds, type ContactFacts } from '../../src/segments/evaluate.ts'
import { readCondition } from '../../src/segments/read-condition.ts'
import { resolveSegments } from '../../src/segments/resolve-segments.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { evaluate, type ModelContact, type ModelContext, type ModelMessage, timeOf } from './evaluate-condition.ts'

const CASES = 150
const CONTACTS = 40
const DAY = 86_400_000
const NOW = Date.UTC(2026, 5, 15)

/** Half a day apart, so that many are equal, or exactly a duration apart. */
const time = fc.integer({ min: -10, max: 10 }).map((n) => NOW + n * (DAY / 2))
const timestamp = time.map((ms) => new Date(ms).toISOString())
const TEXTS = ['pro', 'Pro', 'p', '', 'free', '12', ' 7.5 ', '-3', '1e3', 'ä', 'Ä', 'a\u0308', 'PRO', 'soon']
const DATES = [
  '2026-06-15',
  '2026-06-15T12:00',
  '2026-06-14 12:00:00',
  '2026-06-15T14:00+0200',
  '2026-06-20T00:00:00.000+00:00',
  '2026-02-29',
  '2024-02-29',
  '2026-06-31',
  '0000-01-01',
  '2026-06-15T24:00',
  '2026-6-15',
  '2026-06',
  // Unix time.
  '1781524800',
  '1781524800000',
  '178152480',
]
const text = fc.constantFrom(...TEXTS, ...DATES)
const number = fc.constantFrom(-3, 0, 7.5, 12, 1000, NOW / 1000, NOW + DAY, NOW / 1000 - 86_400.5)
const scalar = fc.oneof(text, fc.constantFrom(...DATES), timestamp, number, fc.boolean(), fc.constant(null))
const KEYS = ['plan', 'total', 'at', 'order.id', 'at.plan', 'total.at', '0']
const object = (value: fc.Arbitrary<unknown>) => fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 4 })
const data = object(
  fc.oneof(scalar, object(scalar), fc.array(scalar, { maxLength: 2 }), fc.array(object(scalar), { maxLength: 2 })),
)

const TAGS = ['vip', 'Beta', 'churned']
const EVENTS = ['order.placed', 'Login']
const ids = (count: number) => Array.from({ length: count }, newId)
const LISTS = ids(2)
const AUTOMATIONS = ids(2)
const STEPS = ids(2)
const CAMPAIGNS = ids(2)
const SEGMENTS = 3

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const message: fc.Arbitrary<ModelMessage> = fc
  .record({
    origin: fc.oneof(
      fc.record({ automation: fc.constantFrom(...AUTOMATIONS), step: fc.constantFrom(...STEPS) }),
      fc.record({ campaign: fc.constantFrom(...CAMPAIGNS) }),
    ),
    status: fc.constantFrom('SENT', 'CAPTURED', 'FAILED', 'UNCONFIRMED', 'QUEUED'),
    at: time,
    openedAt: maybe(time),
    clickedAt: maybe(time),
    bounce: maybe(fc.constantFrom('HARD', 'SOFT', 'BLOCKED', 'COMPLAINT')),
  })
  .map(({ origin, ...rest }) => ({ ...origin, ...rest }))
const contact = fc.record({
  firstName: maybe(text),
  metadata: data,
  createdAt: time,
  updatedAt: time,
  tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  lists: fc.uniqueArray(fc.constantFrom(...LISTS)),
  events: fc.array(fc.record({ name: fc.constantFrom(...EVENTS), data: maybe(data), at: time }), { maxLength: 8 }),
  // A contact gets a campaign once.
  messages: fc.uniqueArray(message, { maxLength: 4, selector: ({ campaign }) => campaign ?? {} }),
})

const duration = fc.integer({ min: 1, max: 20 }).chain((n) => fc.constantFrom(`${n}d`, `${n * 12}h`))
const isAmong = (values: readonly string[], value: string) => values.includes(value)
const compared: fc.Arbitrary<Compared> = fc.constantFrom(...COMPARISONS).chain((is): fc.Arbitrary<Compared> => {
  if (isAmong(UNARY_COMPARISONS, is)) return fc.constant({ is })
  const value = isAmong(RELATIVE_COMPARISONS, is)
    ? duration
    : isAmong(TIME_COMPARISONS, is)
      ? timestamp
      : isAmong(TEXT_COMPARISONS, is)
        ? text
        : is === 'equal'
          ? fc.oneof(text, timestamp, number, fc.boolean())
          : fc.oneof(text, number)
  return value.map((each) => ({ is, value: each }))
})
const path = fc.constantFrom(
  'plan',
  'total',
  'at',
  '0',
  'plan.total',
  'at.0',
  'at.0.plan',
  'at.plan',
  'total.at',
  'order.id',
  'total.plan.at',
)
const withinDays = fc.constantFrom(0.5, 1, 3, 7)

const anyFilter = fc.letrec<{ filter: EventFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    fc.tuple(path, compared).map(([eventData, rest]) => ({ eventData, ...rest })),
    fc.array(tie('filter'), { maxLength: 2 }).map((all) => ({ all })),
    fc.array(tie('filter'), { maxLength: 2 }).map((any) => ({ any })),
    tie('filter').map((not) => ({ not })),
  ),
})).filter
const anEvent = fc.record(
  {
    event: fc.constantFrom('ORDER.placed', 'login', 'unknown'),
    atLeast: fc.integer({ min: 1, max: 3 }),
    atMost: fc.integer({ min: 0, max: 4 }),
    withinDays,
    where: anyFilter,
  },
  { requiredKeys: ['event'] },
)
const FIELD_VALUES = fc.oneof(text, timestamp, duration, fc.constantFrom('CONTACT-1', '@example.com'))

/** Many of these are not valid, and skipped. */
const part: fc.Arbitrary<ConditionPart> = fc.oneof(
  fc.record({
    field: fc.constantFrom('email', 'firstName', 'createdAt', 'updatedAt'),
    is: fc.constantFrom(...COMPARISONS),
    value: FIELD_VALUES,
  }),
  fc.tuple(fc.constantFrom(...KEYS), compared).map(([metadata, rest]) => ({ metadata, ...rest })),
  fc.tuple(path, compared).map(([eventData, rest]) => ({ eventData, ...rest })),
  fc.tuple(path, compared).map(([key, rest]) => ({ stepData: `look-up.${key}`, ...rest })),
  fc.constantFrom('VIP', 'beta', 'none').map((tag) => ({ tag })),
  fc.constantFrom(...LISTS, newId(), 'none').map((list) => ({ list })),
  fc.record(
    {
      activity: fc.constantFrom(...ACTIVITIES),
      automation: fc.constantFrom(...AUTOMATIONS, 'none'),
      campaign: fc.constantFrom(...CAMPAIGNS),
      withinDays,
    },
    { requiredKeys: ['activity'] },
  ),
  fc.record({
    message: fc.constantFrom(...STEPS, ...CAMPAIGNS, 'Welcome'),
    is: fc.constantFrom(...MESSAGE_CONDITIONS),
  }),
  anEvent as fc.Arbitrary<ConditionPart>,
  anEvent as fc.Arbitrary<ConditionPart>,
  fc
    .tuple(fc.constantFrom(...EVENTS), fc.constantFrom(...KEYS), compared)
    .map(([event, key, rest]) => ({ event, data: key, ...rest })),
)

const treeOf = (leaf: fc.Arbitrary<ConditionPart>): fc.Arbitrary<Condition> =>
  fc
    .letrec<{ condition: Condition }>((tie) => ({
      condition: fc.oneof(
        { maxDepth: 3 },
        { weight: 2, arbitrary: leaf },
        fc.array(tie('condition'), { maxLength: 3 }).map((all) => ({ all })),
        fc.array(tie('condition'), { maxLength: 3 }).map((any) => ({ any })),
        tie('condition').map((not) => ({ not })),
      ),
    }))
    .condition.filter((condition) => 'condition' in readCondition(condition, { allows: ['eventData', 'stepData'] }))

/** Without the forms that segments do not allow. */
const segmentTree = treeOf(part.filter((each) => !('eventData' in each || 'stepData' in each)))

describe('conditions in SQL, compared with a model', () => {
  let database: TestDatabase
  let workspaceId: string
  let contacts: ModelContact[]
  const segments = new Map<string, Condition>()
  const em = () => database.orm.em.fork()
  const seed = fc.readConfigureGlobal().seed ?? Math.floor(Math.random() * 2 ** 31)

  before(async () => {
    database = await createDatabase()
    workspaceId = (await createWorkspace(em(), { name: 'Model', mode: 'live' })).id
    contacts = fc
      .sample(contact, { numRuns: CONTACTS, seed })
      .map((fields, n) => ({ id: newId(), email: `Contact-${n}@example.com`, ...fields }))
    await store(em(), workspaceId, contacts)
    const conditions = fc.sample(segmentTree, { numRuns: SEGMENTS, seed })
    for (const condition of conditions) {
      const last = [...segments.keys()].at(-1)
      const referring: Condition = last === undefined ? condition : { any: [condition, { not: { segment: last } }] }
      segments.set((await createSegment(em(), { workspaceId, name: 'A segment', condition: referring })).id, referring)
    }
  })
  after(() => database.orm.close())

  it('match the same contacts, one by one and all at once', async () => {
    const withSegments = treeOf(
      fc.oneof(
        { weight: 9, arbitrary: part },
        fc.nat({ max: SEGMENTS }).map((n) => ({ segment: [...segments.keys()][n] ?? newId() })),
      ),
    )
    const found = { matching: 0, others: 0 }
    await fc.assert(
      fc.asyncProperty(
        withSegments,
        time,
        fc.option(data, { nil: undefined }),
        data,
        async (condition, at, eventData, step) => {
          const stepData = { 'look-up': step }
          const context: ModelContext = { at, eventData, stepData, segments }
          const expected = contacts.filter((each) => evaluate(condition, each, context)).map(({ id }) => id)
          for (const isForFew of [false, true])
            assert.deepEqual(await matching(condition, { at, eventData, stepData, isForFew }), expected)
          for (const { id } of contacts.slice(0, 3)) {
            const evaluation = { at: new Date(at), eventData, stepData }
            assert.equal(await contactMatches(em(), workspaceId, id, condition, evaluation), expected.includes(id))
          }
          const resolved = await resolveSegments(em(), workspaceId, condition)
          for (const each of contacts) {
            const known = { ...each, ...until(at, each) }
            const holds = conditionHolds(resolved, factsOf(each), { at, eventData, stepData })
            assert.equal(holds, evaluate(condition, known, context), 'in memory')
          }
          found.matching += expected.length
          found.others += contacts.length - expected.length
        },
      ),
      { numRuns: CASES, seed },
    )
    const least = (CASES * CONTACTS) / 10
    assert.ok(found.matching > least && found.others > least, JSON.stringify(found))
  })

  it('read the same texts as times', async () => {
    const upTo = (last: number) => Array.from({ length: last + 1 }, (_, n) => String(n).padStart(2, '0'))
    const years = ['0000', '0001', '1900', '2000', '2023', '2024', '2100', '9999', '26', '12026']
    const days = years.flatMap((year) => upTo(13).flatMap((month) => upTo(32).map((day) => `${year}-${month}-${day}`)))
    const hours = upTo(25).flatMap((hour) => ['00', '59', '60', '5'].map((minute) => `${hour}:${minute}`))
    const clocks = [...hours, '09:00:00', '09:00:59.5', '09:00:59.', '09:00:60', '09', '9:00']
    const offsets = ['', 'Z', 'z', '+02:00', '-0230', '+15:59', '+02', ' +02:00', '+02:60', 'Europe/Berlin', ' ']
    const times = clocks.flatMap((clock) =>
      offsets.flatMap((offset) => ['T', ' ', 't'].map((divider) => `2024-02-29${divider}${clock}${offset}`)),
    )
    const texts = [
      ...days,
      ...times,
      ...DATES,
      '',
      'now',
      'infinity',
      ' 2026-01-01',
      '2026-01-01\n',
      'Jan 1 2026',
      '１２３４-01-01',
    ]
    const rows = await sql<{ ms: number | null }>(
      em(),
      `select extract(epoch from instant_of(text))::float8 * 1000 as ms
       from unnest($1::text[]) with ordinality as given(text, n) order by n`,
      [texts],
    )
    const valid = texts.filter((text, n) => {
      const expected = timeOf(text)
      assert.equal(rows[n]!.ms, Number.isNaN(expected) ? null : expected, text)
      assert.deepEqual(instantOf(text), expected, text)
      return !Number.isNaN(expected)
    })
    assert.ok(valid.length > 2_500, String(valid.length))
  })

  async function matching(
    condition: Condition,
    { at, eventData, stepData, isForFew }: { at: number; eventData: unknown; stepData: unknown; isForFew: boolean },
  ): Promise<string[]> {
    const parameters: unknown[] = [workspaceId]
    const where = conditionSql(await resolveSegments(em(), workspaceId, condition), parameters, {
      workspaceId,
      at: new Date(at),
      eventData: { value: eventData },
      stepData: { value: stepData },
      isForFew,
    })
    const rows = await sql<{ id: string; matches: boolean }>(
      em(),
      `select id from contacts contact where contact.workspace_id = $1::uuid and ${where} order by place`,
      parameters,
    )
    return rows.map(({ id }) => id)
  }
})

/** Returns what had happened to a contact until an instant. SQL has no upper limit, because it only reads what has happened. */
const until = (at: number, { events, messages }: ModelContact): Pick<ModelContact, 'events' | 'messages'> => {
  const past = (time: number | null) => (time !== null && time <= at ? time : null)
  return {
    events: events.filter((event) => event.at <= at),
    messages: messages
      .filter((message) => message.at <= at)
      .map((message) => ({ ...message, openedAt: past(message.openedAt), clickedAt: past(message.clickedAt) })),
  }
}

const factsOf = ({ tags, lists, events, messages, ...contact }: ModelContact): ContactFacts => ({
  ...contact,
  tags: new Set(tags.map((tag) => tag.toLowerCase())),
  lists: new Set(lists),
  events: events.map(({ name, ...event }) => ({ ...event, name: name.toLowerCase() })),
  messages: messages.map(({ step = null, automation = null, campaign = null, bounce, ...message }) => ({
    ...message,
    stepId: step,
    automationId: automation,
    campaignId: campaign,
    hasBounced: bounce !== null && bounce !== 'COMPLAINT',
  })),
})

type Em = Parameters<typeof sql>[0]

/** Writes the contacts with all that belongs to them. */
async function store(em: Em, workspaceId: string, contacts: readonly ModelContact[]): Promise<void> {
  const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  const insert = (statement: string, rows: readonly object[]) => sql(em, statement, [workspaceId, JSON.stringify(rows)])
  await insert(
    `insert into lists (id, workspace_id, name) select id, $1::uuid, 'A list' from jsonb_to_recordset($2) as t(id uuid)`,
    LISTS.map((id) => ({ id })),
  )
  await insert(
    `insert into contacts (id, workspace_id, email, email_key, first_name, metadata, created_at, updated_at)
     select id, $1::uuid, email, lower(email), first_name, metadata, created_at, updated_at
     from jsonb_to_recordset($2) as t(id uuid, email text, first_name text, metadata jsonb, created_at timestamptz, updated_at timestamptz)`,
    contacts.map(({ id, email, firstName, metadata, createdAt, updatedAt }) => ({
      ...{ id, email, first_name: firstName, metadata },
      ...{ created_at: iso(createdAt), updated_at: iso(updatedAt) },
    })),
  )
  await insert(
    `insert into contact_tags (contact_id, workspace_id, tag_key, name)
     select contact_id, $1::uuid, lower(name), name from jsonb_to_recordset($2) as t(contact_id uuid, name text)`,
    contacts.flatMap(({ id, tags }) => tags.map((name) => ({ contact_id: id, name }))),
  )
  await insert(
    `insert into list_members (list_id, contact_id)
     select list_id, contact_id from jsonb_to_recordset($2) as t(list_id uuid, contact_id uuid), workspaces where id = $1::uuid`,
    contacts.flatMap(({ id, lists }) => lists.map((list) => ({ contact_id: id, list_id: list }))),
  )
  await insert(
    `insert into trigger_events (id, workspace_id, contact_id, type, name, name_key, data, automation_ids, created_at)
     select gen_random_uuid(), $1::uuid, contact_id, 'EVENT', name, lower(name), data, '{}', at
     from jsonb_to_recordset($2) as t(contact_id uuid, name text, data jsonb, at timestamptz)`,
    contacts.flatMap(({ id, events }) => events.map((event) => ({ ...event, contact_id: id, at: iso(event.at) }))),
  )
  const messages = contacts.flatMap(({ id, messages }) =>
    messages.map((message) => ({
      ...{
        id: newId(),
        contact_id: id,
        automation: message.automation,
        step: message.step,
        campaign: message.campaign,
      },
      ...{ status: message.status, at: iso(message.at), bounce: message.bounce },
      ...{ opened_at: iso(message.openedAt), clicked_at: iso(message.clickedAt) },
    })),
  )
  await insert(
    `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, campaign_id, due_at,
       status, claim, created_at, opened_at, clicked_at)
     select id, $1::uuid, contact_id, automation, case when campaign is null then id end, step,
       campaign, case when campaign is not null then at end, status, id, at, opened_at, clicked_at
     from jsonb_to_recordset($2) as t(id uuid, contact_id uuid, automation uuid, step uuid, campaign uuid, status text,
       at timestamptz, opened_at timestamptz, clicked_at timestamptz)`,
    messages,
  )
  await insert(
    `insert into bounces (id, workspace_id, contact_id, message_id, kind, source)
     select id, $1::uuid, contact_id, id, bounce, 'test'
     from jsonb_to_recordset($2) as t(id uuid, contact_id uuid, bounce text) where bounce is not null`,
    messages,
  )
}
