// cspell:ignore sbject filtr tagg
import assert from 'node:assert/strict'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'Hi' })
const condition = (steps: unknown[], otherwise: unknown[] = []) => ({
  type: 'CONDITION',
  branches: [{ name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps }],
  else: otherwise,
})

describe('the tree of an automation', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const create = (fields: object) =>
    service.call('POST', 'automations', { name: 'Trial', trigger: 'SIGNUP', ...fields })

  it('is returned as it was written, and can be written again', async () => {
    const steps = [
      { ...email('1'), name: 'Hello' },
      { type: 'WAIT_UNTIL', until: { timeOfDay: '09:00', weekdays: ['MON'] }, timezone: 'Europe/Berlin' },
      condition([email('pro'), { type: 'EXIT' }], [condition([email('deep')])]),
      {
        type: 'WAIT_FOR_EVENT',
        eventName: 'project.created',
        filter: { eventData: 'size', is: 'more', value: 3 },
        timeoutMinutes: 60,
        received: [email('received')],
      },
      {
        type: 'SPLIT',
        branches: [
          { name: 'A', weight: 1, steps: [email('a')] },
          { name: 'B', weight: 0 },
        ],
      },
      { type: 'UPDATE_CONTACT', set: { metadata: { stage: 'trial' } }, addTags: ['Trial'] },
      { type: 'WEBHOOK', url: 'https://example.com/hook', saveAs: 'account' },
    ]
    const rules = {
      entry: { filter: { tag: 'vip' }, reentry: { afterMinutes: 60 }, concurrency: { key: 'event.data.orderId' } },
      exitOn: [{ eventName: 'cancelled' }, { condition: { tag: 'gone' } }],
      goal: { eventName: 'paid', filter: { eventData: 'total', is: 'more', value: 0 } },
    }
    const created = await create({ steps, ...rules, status: 'ACTIVE' })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const { data } = created.body
    assert.deepEqual([data.entry, data.exitOn, data.goal], [rules.entry, rules.exitOn, rules.goal])
    assert.deepEqual(
      data.steps.map(({ type, position }: { type: string; position: number }) => `${position} ${type}`),
      ['0 EMAIL', '1 WAIT_UNTIL', '2 CONDITION', '3 WAIT_FOR_EVENT', '4 SPLIT', '5 UPDATE_CONTACT', '6 WEBHOOK'],
    )
    assert.equal(data.steps[2].branches[0].steps[1].type, 'EXIT')
    assert.equal(data.steps[2].else[0].branches[0].steps[0].subject, 'deep')
    const again = await service.call('PUT', `automations/${data.id}/steps`, { steps: data.steps })
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.deepEqual(again.body.data.steps, data.steps)
    const [summary] = (await service.call('GET', 'automations')).body.data
    assert.deepEqual([summary.stepCount, summary.version, summary.revision], [13, 2, 2])
    assert.equal(again.headers.get('etag'), '"2"')
  })

  it('keeps the IDs of its steps, and those in conditions on its emails, when it is published', async () => {
    const opened = (message: string) => ({ message, is: 'opened' })
    const branch = (message: string) => ({ name: 'A', if: { not: opened(message) }, steps: [] })
    const created = await create({
      steps: [
        { ...email('1'), name: 'Offer' },
        { type: 'CONDITION', branches: [branch('OFFER')] },
      ],
      goal: { condition: opened('Offer') },
    })
    const { id, steps, goal } = created.body.data
    const refersTo = (data: typeof created.body.data) => [
      data.goal.condition.message as string,
      data.steps.at(-1).branches[0].if.not.message as string,
    ]
    assert.deepEqual(refersTo(created.body.data), [steps[0].id, steps[0].id])
    const published = await service.call('POST', `automations/${id}/publish`, { steps: [email('0'), ...steps], goal })
    assert.equal(published.body.data.steps[1].id, steps[0].id)
    assert.deepEqual(refersTo(published.body.data), [steps[0].id, steps[0].id])
    // An ID that the request gives to a new step is replaced.
    const added = { ...email('2'), id: '11111111-1111-4111-8111-111111111111' }
    const again = await service.call('POST', `automations/${id}/publish`, {
      steps: [
        ...steps,
        added,
        { type: 'WAIT_FOR_EVENT', eventName: 'x', timeoutMinutes: 5, filter: opened(added.id) },
        { type: 'CONDITION', branches: [branch(added.id)] },
      ],
      entry: { filter: opened(added.id) },
      goal: { condition: opened(added.id) },
    })
    const { steps: now, entry } = again.body.data
    assert.deepEqual([now[3].filter.message, entry.filter.message], [now[2].id, now[2].id])
    assert.deepEqual(refersTo(again.body.data), [again.body.data.steps[2].id, again.body.data.steps[2].id])
    assert.notEqual(again.body.data.steps[2].id, added.id)
    // A copy refers to its own steps.
    const copy = (await create({ steps, goal })).body.data
    assert.notEqual(copy.steps[0].id, steps[0].id)
    assert.deepEqual(refersTo(copy), [copy.steps[0].id, copy.steps[0].id])
    // A change of a rule alone finds the steps by their names, too.
    const changed = await service.call('PATCH', `automations/${id}`, {
      goal: { condition: { any: [opened('Offer')] } },
    })
    assert.equal(changed.body.data.goal.condition.any[0].message, steps[0].id)
    const unknown = await create({ steps: [{ type: 'CONDITION', branches: [branch('Offer')] }] })
    assert.equal(unknown.status, 400)
    assert.equal(unknown.headers.get('x-error-param'), '/steps/0/branches/0/if/not/message')
    assert.equal(
      unknown.body.error,
      'steps[0].branches[0].if.not.message must be the name or ID of an email step, or the ID of a campaign',
    )
  })

  it('creates a version for a change of the exit rules, and none without a change', async () => {
    const { data } = (await create({ steps: [email('1')], exitOn: [{ eventName: 'a' }] })).body
    const patch = (body: object) => service.call('PATCH', `automations/${data.id}`, body)
    assert.equal((await patch({ exitOn: [{ eventName: 'a' }] })).body.data.version, 1)
    assert.equal((await patch({ exitOn: [{ eventName: 'b' }] })).body.data.version, 2)
    assert.equal((await patch({ goal: { eventName: 'c' } })).body.data.version, 3)
    assert.equal((await patch({ goal: null })).body.data.goal, null)
  })

  const nested = (depth: number): unknown[] => (depth === 0 ? [email('deep')] : [condition(nested(depth - 1))])
  it('returns 400 for content that is not valid, with its place', async () => {
    const split = (...weights: number[]) => ({
      type: 'SPLIT',
      branches: weights.map((weight, n) => ({ name: `B${n}`, weight })),
    })
    const deviations: unknown[] = []
    for (const [what, fields, expected] of [
      [
        'an unknown key of a step',
        { steps: [{ ...email('1'), sbject: 'x' }] },
        /^steps\[0\]\.sbject is unknown; did you mean subject\?$/,
      ],
      [
        'an unknown key inside a branch',
        { steps: [condition([{ type: 'WAIT', delayMinute: 5 }])] },
        /^steps\[0\]\.branches\[0\]\.steps\[0\]\.delayMinute is unknown; did you mean delayMinutes\?$/,
      ],
      [
        'an unknown key of triggerConfig',
        { trigger: 'EVENT', triggerConfig: { eventname: 'a' } },
        /triggerConfig\.eventname is unknown; did you mean eventName\?/,
      ],
      ['an unknown key of entry', { entry: { filtr: {} } }, /entry\.filtr is unknown; did you mean filter\?/],
      [
        'an unknown key of exitOn',
        { exitOn: [{ eventNam: 'x' }] },
        /exitOn\[0\]\.eventNam is unknown; did you mean eventName\?/,
      ],
      [
        'an unknown key of goal',
        { goal: { eventName: 'a', filters: {} } },
        /goal\.filters is unknown; did you mean filter\?/,
      ],
      ['an unknown key of a condition', { goal: { condition: { tagg: 'a' } } }, /goal\.condition/],
      [
        'an exit rule with an event and a condition',
        { exitOn: [{ eventName: 'a', condition: { tag: 'b' } }] },
        /exitOn\[0\] must have either eventName or condition/,
      ],
      ['branches nested 11 deep', { steps: nested(11) }, /nest branches deeper than 10 levels/],
      ['branches nested 1,000 deep', { steps: nested(1_000) }, /nested deeper than/],
      [
        '501 steps in all',
        { steps: [condition(Array.from({ length: 500 }, () => email('x')))] },
        /more than 500 steps in all/,
      ],
      ['10,000 steps', { steps: Array.from({ length: 10_000 }, () => ({ type: 'EXIT' })) }, /500/],
      ['10,000 emails', { steps: Array.from({ length: 10_000 }, () => email('x')) }, /more than 40,000 values/],
      ['two goals', { goal: [{ eventName: 'paid' }, { eventName: 'signed' }] }, /goal/],
      [
        'a local time without a day',
        { steps: [{ type: 'WAIT_UNTIL', until: { at: 'soon' } }] },
        /steps\[0\]\.until\.at must be a local date and time/,
      ],
      [
        'weights that are all zero',
        { steps: [split(0, 0)] },
        /steps\[0\]\.branches must have at least one weight above 0/,
      ],
      ['a negative weight', { steps: [split(-1, 1)] }, /weight must be/],
      [
        'a time zone that does not exist',
        { steps: [{ type: 'WAIT_UNTIL', until: { timeOfDay: '09:00' }, timezone: 'Mars/Olympus' }] },
        /steps\[0\]\.timezone must be contact, or a time zone/,
      ],
      [
        '29 February of a year without one',
        { steps: [{ type: 'WAIT_UNTIL', until: { at: '2027-02-29T09:00' } }] },
        /steps\[0\]\.until\.at must be a local date and time/,
      ],
      ['a target without a time', { steps: [{ type: 'WAIT_UNTIL', until: {} }] }, /until must have at least one of/],
      [
        'two steps with the same name',
        {
          steps: [
            { ...email('1'), name: 'A' },
            { ...email('2'), name: 'a' },
          ],
        },
        /^steps\[1\]\.name must be unique/,
      ],
      [
        'a concurrency key outside of the event',
        { entry: { concurrency: { key: 'contact.email' } } },
        /entry\.concurrency must be ONE or/,
      ],
      [
        'data of an event where there is none',
        { steps: [{ type: 'CONDITION', branches: [{ name: 'A', if: { segment: 5 } }] }] },
        /steps\[0\]\.branches\[0\]\.if/,
      ],
      [
        'a value of the wrong type',
        {
          steps: [
            { type: 'CONDITION', branches: [{ name: 'A', if: { field: 'createdAt', is: 'before', value: 'soon' } }] },
          ],
        },
        /steps\[0\]\.branches\[0\]\.if\.value must be/,
      ],
    ] as [string, object, RegExp][]) {
      const { status, body } = await create({ steps: [email('1')], ...fields })
      if (status !== 400 || !expected.test(body.error as string)) deviations.push({ what, status, body })
    }
    assert.deepEqual(deviations, [])
  })
})
