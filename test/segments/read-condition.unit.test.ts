// cspell:ignore metdata Leats
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { readCondition, readEventFilter, type ReadOptions } from '../../src/segments/read-condition.ts'

const ANYWHERE: ReadOptions = { allows: ['eventData', 'stepData'] }

describe('readCondition', () => {
  const VALID = [
    { all: [] },
    { any: [{ not: { tag: 'vip' } }] },
    { field: 'email', is: 'endsWith', value: '@example.com' },
    { field: 'createdAt', is: 'newerThan', value: '30d' },
    { field: 'updatedAt', is: 'before', value: '2026-12-24' },
    { metadata: 'trialEndsAt', is: 'within', value: '12h' },
    { metadata: 'trialEndsAt', is: 'olderThan', value: '36600d' },
    { metadata: 'plan', is: 'equal', value: true },
    { metadata: '', is: 'present' },
    { tag: 'vip' },
    { list: 'any text' },
    { segment: 'any text' },
    { activity: 'OPENED', automation: 'any text', campaign: 'any text', withinDays: 0.5 },
    { message: 'Welcome', is: 'opened' },
    { event: 'order.placed' },
    { event: 'order.placed', atLeast: 3, atMost: 3, withinDays: 30 },
    { event: 'order.placed', atMost: 0 },
    { event: 'order.placed', data: 'total', is: 'more', value: 50 },
    { event: 'order.placed', where: { all: [{ not: { eventData: 'order.total', is: 'more', value: 50 } }] } },
    { eventData: 'order.items.0.sku', is: 'startsWith', value: 'A-' },
    { stepData: 'lookup.score', is: 'less', value: 3 },
  ]

  it('reads each form of a condition', () => {
    for (const condition of VALID) assert.deepEqual(readCondition(condition, ANYWHERE), { condition })
  })

  it('writes IDs in lower case, and removes the value of a comparison that takes none', () => {
    const id = '019F3A00-0000-7000-8000-00000000000A'
    const parts = [
      { list: id },
      { segment: id },
      { message: id, is: 'sent' },
      { metadata: 'a', is: 'present', value: 1 },
    ]
    assert.deepEqual(readCondition({ all: parts }), {
      condition: {
        all: [
          { list: id.toLowerCase() },
          { segment: id.toLowerCase() },
          { message: id.toLowerCase(), is: 'sent' },
          { metadata: 'a', is: 'present' },
        ],
      },
    })
  })

  const CONTACT_FORMS = 'all, any, not, field, metadata, tag, list, segment, activity, message, event'
  const TIMES = 'equal, less, more, before, after, olderThan, newerThan, present, missing'
  const DURATION = 'a duration in hours or days, such as 12h or 7d'
  const PATH = "a key of the event's data, with a dot before each nested key"

  const INVALID: [unknown, string | RegExp][] = [
    [undefined, 'condition must be a JSON object'],
    ['vip', 'condition must be a JSON object'],
    [[], 'condition must be a JSON object'],
    [{ all: [null] }, 'condition.all[0] must be a JSON object'],
    [{ all: {} }, 'condition.all must be an array'],
    [{ not: [] }, 'condition.not must be a JSON object'],
    [{}, `condition must have exactly one of: ${CONTACT_FORMS}, eventData, stepData`],
    [{ tag: 'a', list: 'b' }, `condition must have exactly one of: ${CONTACT_FORMS}, eventData, stepData`],
    // Unknown keys.
    [{ metdata: 'plan', is: 'present' }, 'condition.metdata is unknown; did you mean metadata?'],
    [{ all: [{ tags: 'vip' }] }, 'condition.all[0].tags is unknown; did you mean tag?'],
    [{ metadata: 'a', is: 'equal', vale: 1 }, 'condition.vale is unknown; did you mean value?'],
    [{ tag: 'vip', withinDays: 3 }, 'condition.withinDays is unknown; known names: tag'],
    [{ all: [], or: [] }, 'condition.or is unknown; known names: all'],
    [{ event: 'a', atLeats: 3 }, 'condition.atLeats is unknown; did you mean atLeast?'],
    [JSON.parse('{"tag":"a","__proto__":1}'), 'condition.__proto__ is unknown; known names: tag'],
    [{ tag: 'a', ['x'.repeat(99)]: 1 }, `condition.${'x'.repeat(50)} is unknown; known names: tag`],
    // Values of a wrong type.
    [{ field: 'phone', is: 'present' }, 'condition.field must be one of: email, firstName, createdAt, updatedAt'],
    [{ field: 'email', is: 'equal', value: 3 }, 'condition.value must be a string'],
    [{ field: 'email', is: 'within', value: '7d' }, /^condition\.is must be one of: equal, contains, startsWith/],
    [{ field: 'createdAt', is: 'contains', value: '2026' }, `condition.is must be one of: ${TIMES}`],
    [{ field: 'createdAt', is: 'within', value: '7d' }, `condition.is must be one of: ${TIMES}`],
    [{ field: 'createdAt', is: 'olderThan', value: '2026-01-01' }, `condition.value must be ${DURATION}`],
    [{ field: 'createdAt', is: 'before', value: '7d' }, 'condition.value must be a timestamp'],
    [{ metadata: 7, is: 'present' }, 'condition.metadata must be a string'],
    [{ metadata: 'a' }, /^condition\.is must be one of: equal, contains/],
    [{ metadata: 'a', is: 'equal' }, 'condition.value must be a string or a number or a boolean'],
    [{ metadata: 'a', is: 'equal', value: null }, 'condition.value must be a string or a number or a boolean'],
    [{ metadata: 'a', is: 'equal', value: [] }, 'condition.value must be a string or a number or a boolean'],
    [{ metadata: 'a', is: 'more', value: false }, 'condition.value must be a string or a number'],
    [{ metadata: 'a', is: 'contains', value: 3 }, 'condition.value must be a string'],
    ...wrongValues('within', `condition.value must be ${DURATION}`, [
      ...['soon', '7', '0d', '-7d', '7 d', '7D', '1.5d', '7w', '36601d', '9999999h', 7, null],
    ]),
    ...wrongValues('before', 'condition.value must be a timestamp', [
      ...['soon', '2026-02-30', '2026-12-24T09:00', '', 20261224, '0000-01-01', '2025-02-29', '2026-13-01'],
      ...['2026-01-01T24:00Z', '2026-01-01T10:00+24:00', '2026-01-01T10:60Z', '10000-01-01'],
    ]),
    [{ tag: ' ' }, 'condition.tag must be a non-empty string'],
    [{ list: 7 }, 'condition.list must be a non-empty string'],
    [{ segment: '' }, 'condition.segment must be a non-empty string'],
    [{ activity: 'READ' }, /^condition\.activity must be one of: SENT/],
    [{ activity: 'SENT', automation: 7 }, 'condition.automation must be a string'],
    [{ activity: 'SENT', campaign: 7 }, 'condition.campaign must be a string'],
    [{ activity: 'SENT', withinDays: '7' }, 'condition.withinDays must be a number of days, up to 36600'],
    [{ message: '', is: 'opened' }, 'condition.message must be a non-empty string'],
    [{ message: 'Welcome', is: 'read' }, 'condition.is must be one of: sent, opened, clicked, bounced'],
    [{ message: 'Welcome' }, 'condition.is must be one of: sent, opened, clicked, bounced'],
    // Events.
    [{ event: '' }, 'condition.event must be a non-empty string'],
    [{ event: 'a', atLeast: 0 }, 'condition.atLeast must be a whole number from 1 to 1000000'],
    [{ event: 'a', atLeast: 1.5 }, 'condition.atLeast must be a whole number from 1 to 1000000'],
    [{ event: 'a', atLeast: '3' }, 'condition.atLeast must be a whole number from 1 to 1000000'],
    [{ event: 'a', atMost: -1 }, 'condition.atMost must be a whole number from 0 to 1000000'],
    [{ event: 'a', atMost: 1e9 }, 'condition.atMost must be a whole number from 0 to 1000000'],
    [{ event: 'a', atLeast: 3, atMost: 2 }, 'condition.atMost must not be less than atLeast'],
    [{ event: 'a', withinDays: 36_601 }, 'condition.withinDays must be a number of days, up to 36600'],
    [{ event: 'a', data: 7, is: 'present' }, /^condition\.data must be a string/],
    [{ event: 'a', is: 'present' }, 'condition.is must be next to data or in where'],
    [{ event: 'a', value: 3 }, 'condition.value must be next to data or in where'],
    [{ event: 'a', data: 'b', is: 'present', where: { all: [] } }, 'condition must have either where or data'],
    [{ event: 'a', where: null }, 'condition.where must be a JSON object'],
    [{ event: 'a', where: { tag: 'vip' } }, 'condition.where must have exactly one of: all, any, not, eventData'],
    [
      { event: 'a', where: { stepData: 'a', is: 'present' } },
      'condition.where must have exactly one of: all, any, not, eventData',
    ],
    [
      { event: 'a', where: { not: { eventDate: 'b', is: 'present' } } },
      'condition.where.not.eventDate is unknown; did you mean eventData?',
    ],
    [
      { event: 'a', where: { any: [{ eventData: 'b', is: 'more', value: true }] } },
      'condition.where.any[0].value must be a string or a number',
    ],
    ...['', '.', 'a.', '.a', 'a..b', ' ', 7, null].map((eventData): [unknown, string] => [
      { eventData, is: 'present' },
      `condition.eventData must be ${PATH}`,
    ]),
    [
      { stepData: 'lookup.', is: 'present' },
      'condition.stepData must be the name of a step, with a dot before each key of its data',
    ],
    // Limits.
    [nested(10), 'condition must not nest deeper than 10 levels'],
    [
      { event: 'a', where: nested(9, { eventData: 'a', is: 'present' }) },
      'condition must not nest deeper than 10 levels',
    ],
    [{ all: Array(200).fill({ tag: 'x' }) }, 'condition must not have more than 200 parts'],
    [{ tag: 'x'.repeat(17_000) }, 'condition must not be larger than 16384 bytes as JSON'],
  ]

  it('rejects what is not a condition, with the path and the problem', () => {
    const deviations = INVALID.flatMap(([json, expected]) => {
      const result = readCondition(json, ANYWHERE)
      const problem = 'problem' in result ? result.problem : undefined
      const isExpected = typeof expected === 'string' ? problem === expected : expected.test(problem ?? '')
      return isExpected ? [] : [{ json, problem, expected }]
    })
    assert.deepEqual(deviations, [])
  })

  it('rejects the data of events and steps where there is none', () => {
    const problemOf = (json: unknown, options?: ReadOptions) =>
      (readCondition(json, options) as { problem: string }).problem
    const event = { all: [{ eventData: 'plan', is: 'present' }] }
    const step = { stepData: 'lookup.score', is: 'present' }
    assert.equal(
      problemOf(event),
      'condition.all[0].eventData is available only in automations, where an event is at hand',
    )
    assert.equal(problemOf(step), 'condition.stepData is available only in the steps of an automation')
    assert.equal(
      problemOf(step, { allows: 'eventData' }),
      'condition.stepData is available only in the steps of an automation',
    )
    assert.equal(problemOf({}), `condition must have exactly one of: ${CONTACT_FORMS}`)
    assert.ok('condition' in readCondition(event, { allows: 'eventData' }))
  })

  it('reads every example of the documentation', () => {
    const page = readFileSync(new URL('../../docs/segments.md', import.meta.url), 'utf8')
    const examples = [...page.matchAll(/`(\{"[^`]*\})`/g)].map(([, json]) => json!)
    const forms = new Set<string>()
    for (const example of examples) {
      const json = JSON.parse(example) as object
      assert.ok('condition' in readCondition(json, ANYWHERE), example)
      forms.add(Object.keys(json)[0]!)
    }
    assert.deepEqual([...forms].toSorted(), `${CONTACT_FORMS}, eventData, stepData`.split(', ').toSorted())
  })

  it('begins its texts with the given path', () => {
    const path = 'steps[2].branches[0].if'
    assert.deepEqual(readCondition({ all: [{}] }, { path }), {
      problem: `${path}.all[0] must have exactly one of: ${CONTACT_FORMS}`,
    })
    assert.deepEqual(readCondition({ all: Array(200).fill({ tag: 'x' }) }, { path }), {
      problem: `${path} must not have more than 200 parts`,
    })
  })
})

describe('readEventFilter', () => {
  it('reads conditions on the data of an event only', () => {
    const filter = { all: [{ eventData: 'plan', is: 'equal', value: 'pro' }] }
    assert.deepEqual(readEventFilter(filter), { condition: filter })
    assert.deepEqual(readEventFilter({ tag: 'vip' }, { path: 'exitOn[0].filter' }), {
      problem: 'exitOn[0].filter must have exactly one of: all, any, not, eventData',
    })
  })
})

/** A condition that is nested in as many objects. */
function nested(levels: number, inside: object = { tag: 'x' }): object {
  return levels === 0 ? inside : { not: nested(levels - 1, inside) }
}

function wrongValues(is: string, problem: string, values: unknown[]): [unknown, string][] {
  return values.map((value) => [{ metadata: 'a', is, value }, problem])
}
