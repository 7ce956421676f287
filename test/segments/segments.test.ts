import assert from 'node:assert/strict'
import type { Condition } from '../../src/segments/condition.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { activityOf, aContact, aList, anAutomation, anEvent, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('segments', () => {
  let service: Service
  let listId: string
  let automationId: string
  const ids: Record<string, string> = {}

  before(async () => {
    service = await openWorkspace()
    listId = await aList(service)
    ids['ada'] = await aContact(service, {
      email: 'Ada@Example.com',
      firstName: 'Ada',
      metadata: { plan: 'pro', seats: 12, trial: false, "it's": 'odd', since: '2026-01-05', age: '20 or so' },
      tags: ['VIP'],
      listId,
    })
    ids['bob'] = await aContact(service, {
      email: 'bob@example.org',
      metadata: {
        ...{ plan: 'free', seats: 2, trial: true, age: '9' },
        // As Shopify, a form and Stripe send them.
        ...{ interests: ['Tea', 'Zoe\u0308'], address: { city: 'Århus' }, 'a.b': 1, a: { b: 2 } },
        ...{ renewed: 1_700_000_000, renewedMs: '1700000000000' },
      },
    })
    ids['eve'] = await aContact(service, {
      email: 'eve@example.net',
      firstName: 'Eve',
      metadata: { seats: 'many', age: ' 100.5 ', odd: '\u20035' },
    })
    await anEvent(service, ids['ada'], 'Order.Placed', { plan: 'pro', amount: 42 })
    await anEvent(service, ids['bob'], 'order.placed', {
      products: [
        { sku: 'A-1', price: 5 },
        { sku: 'B-2', price: 50 },
      ],
    })
    automationId = await anAutomation(service)
    await enroll(service, automationId, ids['eve'])
    await eventually('the email is sent', async () =>
      (await activityOf(service, ids['eve']!)).find(({ status }) => status === 'SENT'),
    )
  })

  it('counts the contacts of a condition without storing a segment', async () => {
    const count = (condition: unknown) => service.call('POST', 'segments/count', { condition })
    assert.deepEqual((await count({ tag: 'vip' })).body.data, { contactCount: 1 })
    assert.deepEqual((await count({ all: [] })).body.data, { contactCount: 3 })
    assert.equal((await count({ tag: 7 })).status, 400)
    assert.equal((await count(undefined)).status, 400)
  })

  const segment = async (condition: unknown) => {
    const { em } = service.context.orm
    return (await createSegment(em, { workspaceId: service.workspaceId, name: 'A segment', condition })).id
  }
  const members = async (condition: unknown) => {
    const id = await segment(condition)
    const { body } = await service.call('GET', `segments/${id}/contacts`)
    const { body: detail } = await service.call('GET', `segments/${id}`)
    assert.equal(detail.data.contactCount, body.pagination.total)
    assert.deepEqual(detail.data.condition, condition)
    const names = new Map(Object.entries(ids).map(([name, contactId]) => [contactId, name]))
    return (body.data as { id: string }[]).map(({ id: contactId }) => names.get(contactId)).toSorted()
  }

  // `condition-model.test.ts` compares all forms with a model. These values are not among its own.
  const CASES: [Condition, string[]][] = [
    [{ all: [] }, ['ada', 'bob', 'eve']],
    [{ any: [] }, []],
    [{ field: 'email', is: 'equal', value: 'ADA@example.com' }, ['ada']],
    [{ field: 'email', is: 'endsWith', value: '.ORG' }, ['bob']],
    [{ field: 'createdAt', is: 'less', value: '0001-01-01T00:00:00+14:00' }, []],
    [{ field: 'createdAt', is: 'more', value: '9999-12-31T23:59:59.999999999-14:00' }, []],
    [{ field: 'createdAt', is: 'less', value: '0001-01-01T00:00:00+23:59' }, []],
    [{ field: 'createdAt', is: 'more', value: '9999-12-31T23:59:59-23:59' }, []],
    [{ field: 'createdAt', is: 'more', value: '2020-01-01T00:00+16:00' }, ['ada', 'bob', 'eve']],
    [{ field: 'createdAt', is: 'newerThan', value: '1h' }, ['ada', 'bob', 'eve']],
    [{ not: { metadata: 'plan', is: 'equal', value: 'pro' } }, ['bob', 'eve']],
    [{ metadata: 'trial', is: 'equal', value: false }, ['ada']],
    [{ metadata: 'since', is: 'less', value: '2026-02' }, ['ada']],
    [{ metadata: 'since', is: 'olderThan', value: '1d' }, ['ada']],
    [{ metadata: 'age', is: 'less', value: 18 }, ['bob']],
    [{ metadata: 'age', is: 'more', value: 18 }, ['eve']],
    // In some database locales this digit counts as a number for regular expressions, but cannot be cast.
    [{ metadata: 'odd', is: 'more', value: 1 }, []],
    [{ metadata: "it's", is: 'present' }, ['ada']],
    [{ metadata: 'interests', is: 'equal', value: 'Tea' }, ['bob']],
    [{ metadata: 'interests', is: 'equal', value: 'tea' }, []],
    [{ metadata: 'interests', is: 'contains', value: 'TEA' }, ['bob']],
    [{ metadata: 'interests', is: 'contains', value: 'zo\u00eb' }, ['bob']],
    [{ not: { metadata: 'interests', is: 'equal', value: 'Tea' } }, ['ada', 'eve']],
    [{ metadata: 'address.city', is: 'startsWith', value: 'åR' }, ['bob']],
    [{ metadata: 'a.b', is: 'equal', value: 1 }, ['bob']],
    [{ metadata: 'a.b', is: 'equal', value: 2 }, []],
    [{ metadata: 'renewed', is: 'after', value: '2023-11-14T22:13:19Z' }, ['bob']],
    [{ metadata: 'renewed', is: 'before', value: '2023-11-14T22:13:20Z' }, []],
    [{ metadata: 'renewedMs', is: 'olderThan', value: '1d' }, ['bob']],
    [{ metadata: 'seats', is: 'before', value: '2030-01-01' }, []],
    [{ event: 'order.placed', where: { eventData: 'products.sku', is: 'equal', value: 'B-2' } }, ['bob']],
    [{ event: 'order.placed', data: 'products.price', is: 'more', value: 40 }, ['bob']],
    [{ event: 'order.placed', where: { eventData: 'products.0.sku', is: 'equal', value: 'B-2' } }, []],
    [{ activity: 'SENT', withinDays: 1 }, ['eve']],
    [{ activity: 'FAILED' }, []],
    [{ event: 'order.placed', data: 'amount', is: 'more', value: 40 }, ['ada']],
    [{ event: 'order.placed', atMost: 0 }, ['eve']],
    [{ message: 'Welcome', is: 'opened' }, []],
    [
      { any: [{ tag: 'vip' }, { all: [{ metadata: 'plan', is: 'present' }, { not: { list: 'none' } }] }] },
      ['ada', 'bob'],
    ],
  ]

  it('finds the contacts that a condition matches', async () => {
    const deviations: unknown[] = []
    for (const [condition, expected] of CASES) {
      const found = await members(condition)
      if (found.join() !== expected.join()) deviations.push({ condition, found, expected })
    }
    assert.deepEqual(deviations, [])
  })

  it('accepts the IDs of lists and automations', async () => {
    assert.deepEqual(await members({ list: listId }), ['ada'])
    const inCapitals = await segment({ all: [{ list: listId.toUpperCase() }] })
    const { body } = await service.call('GET', `segments/${inCapitals.toUpperCase()}/contacts`)
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [ids['ada']],
    )
    assert.deepEqual((await service.call('GET', `segments/${inCapitals}`)).body.data.condition, {
      all: [{ list: listId }],
    })
    assert.deepEqual(await members({ activity: 'SENT', automation: automationId }), ['eve'])
  })

  it('rejects a condition that is not valid', async () => {
    await assert.rejects(segment({ tag: 'x'.repeat(17_000) }), {
      message: 'condition must not be larger than 16384 bytes as JSON',
    })
  })

  it('lists segments, and combines them with other filters of contacts', async () => {
    const id = await segment({ metadata: 'seats', is: 'present' })
    const { body } = await service.call('GET', 'segments?limit=1')
    assert.equal(body.data[0].id, id)
    const found = await service.call('GET', `contacts?segmentId=${id}&listId=${listId}&tag=vip&email=ada@example.com`)
    assert.deepEqual([found.body.pagination.total, found.body.data[0].id], [1, ids['ada']])
    const past = await service.call('GET', `contacts?segmentId=${id}&page=9`)
    assert.deepEqual([past.body.pagination.total, past.body.data], [3, []])
    for (const [query, code, error] of [
      ['segmentId=none', 'segment_not_found', 'Segment not found'],
      ['listId=none', 'list_not_found', 'List not found in workspace'],
    ] as const) {
      const answer = await service.call('GET', `contacts?${query}`)
      assert.deepEqual([answer.refused, answer.body.error], [`404 ${code}`, error])
    }
    assert.equal((await service.call('GET', 'contacts?email=a%00b')).refused, '400 invalid_request')
    assert.equal((await service.call('GET', 'contacts?tag=a&tag=b')).body.error, 'tag must be given only once')
  })

  it('queries segments of the maximum size before the timeout', async () => {
    const part = (n: number): Condition[] => [
      { tag: `t${n}` },
      { list: listId },
      { activity: 'FAILED', withinDays: n + 1 },
      { event: `e${n}` },
    ]
    for (const form of ['all', 'any'] as const) {
      const parts = Array.from({ length: 49 }, (_, n) => part(n)).flat()
      assert.deepEqual(await members({ [form]: parts }), form === 'all' ? [] : ['ada'])
    }
  })

  it('creates, updates and deletes segments', async () => {
    const call = (method: string, path: string, body?: unknown, key = service.key) =>
      service.call(method, path, body, { key })
    const made = await call('POST', 'segments', {
      name: 'Pro',
      condition: { metadata: 'plan', is: 'equal', value: 'pro' },
    })
    assert.equal(made.status, 201)
    const { id } = made.body.data
    assert.equal((await call('GET', `segments/${id}`)).body.data.contactCount, 1)
    const changed = await call('PATCH', `segments/${id}`, { condition: { metadata: 'plan', is: 'present' } })
    assert.partialDeepStrictEqual(changed.body.data, { name: 'Pro', condition: { metadata: 'plan', is: 'present' } })
    assert.equal((await call('GET', `segments/${id}`)).body.data.contactCount, 2)
    const wrong = await call('PATCH', `segments/${id}`, { condition: { all: [{ nonsense: 1 }] } })
    assert.deepEqual([wrong.refused, wrong.headers.get('x-error-param')], ['400 invalid_request', '/condition'])
    assert.equal((await call('POST', 'segments', { name: 'x' })).refused, '400 invalid_request')
    assert.equal((await call('PATCH', `segments/${id}`, {})).refused, '400 nothing_to_update')
    const writer = await service.newKey({ workspaceId: service.workspaceId, scopes: ['segments:write'] })
    assert.deepEqual((await call('PATCH', `segments/${id}`, { name: 'Paying' }, writer)).body.data, {
      id,
      name: 'Paying',
    })
    assert.deepEqual((await call('DELETE', `segments/${id}`)).body.data, { id, deleted: true })
    assert.equal((await call('GET', `segments/${id}`)).refused, '404 segment_not_found')
  })
})
