import assert from 'node:assert/strict'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Decision {
  id: string
  kind: string
  automationName: string | null
  enrollmentId: string | null
  branch: string | null
  rule: string | null
  stepType: string | null
  version: number | null
  finishedAt: string | null
  sentence: string
  detail: Record<string, unknown>
}

describe('the decisions about a contact', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const pageOf = async (contactId: string, query = '') =>
    (await service.call('GET', `contacts/${contactId}/decisions${query}`)).body as {
      data: Decision[]
      pagination: { nextCursor: string | null }
    }
  const have = (contactId: string, count: number) =>
    eventually('the decisions are recorded', async () => {
      const { data } = await pageOf(contactId)
      return data.length === count ? data : undefined
    })

  it('name the branch, the event and the reason why an email was not sent', async () => {
    const automationId = await anAutomation(service, {
      steps: [
        {
          type: 'CONDITION',
          branches: [
            {
              name: 'Pro plan',
              if: {
                any: [
                  { metadata: 'plan', is: 'equal', value: 'pro' },
                  { field: 'firstName', is: 'present' },
                ],
              },
              steps: [],
            },
          ],
        },
        { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 },
        EMAIL,
      ],
    })
    const contactId = await aContact(service, { metadata: { plan: 'pro' } })
    await service.call('POST', 'suppressions', { email: await addressOf(service, contactId) })
    await enroll(service, automationId, contactId)
    const [waiting, branch] = await have(contactId, 2)
    assert.partialDeepStrictEqual(branch, {
      ...{ kind: 'STEP', stepType: 'CONDITION', branch: 'Pro plan', version: 1 },
      detail: {
        matches: [true],
        values: [
          { name: 'contact.metadata.plan', value: 'pro' },
          { name: 'contact.firstName', value: null },
        ],
      },
      sentence:
        'Took the branch “Pro plan”: its condition was the first that matched. Compared: plan “pro”, firstName missing.',
    })
    assert.match(waiting!.sentence, /^Waits for project\.created until /)
    assert.equal(waiting!.finishedAt, null)
    await anEvent(service, contactId, 'project.created')
    const all = await have(contactId, 3)
    assert.equal(all[1]!.sentence, 'Waited for project.created; received it within a minute.')
    assert.equal(all[0]!.kind, 'EMAIL')
    assert.match(all[0]!.sentence, /^The email was not sent: /)

    const first = await pageOf(contactId, '?limit=2')
    const second = await pageOf(contactId, `?limit=2&cursor=${first.pagination.nextCursor}`)
    assert.deepEqual(
      [...first.data, ...second.data].map(({ id }) => id),
      all.map(({ id }) => id),
    )
    assert.equal(second.pagination.nextCursor, null)
    assert.equal((await pageOf(contactId, `?enrollmentId=${branch!.enrollmentId}`)).data.length, 3)
  })

  it('include values of the contact only for the scope contacts:read', async () => {
    const branches = [
      {
        name: 'Large',
        if: {
          all: [
            { eventData: 'order.total', is: 'more', value: 50 },
            { metadata: 'note', is: 'present' },
            { field: 'createdAt', is: 'present' },
          ],
        },
        steps: [],
      },
    ]
    await anAutomation(service, {
      triggerConfig: { eventName: 'ordered' },
      steps: [{ type: 'CONDITION', branches }],
    })
    const contactId = await aContact(service, { metadata: { note: 'x'.repeat(500) } })
    await anEvent(service, contactId, 'ordered', { order: { total: 90 } })
    const [decision] = await have(contactId, 1)
    const values = decision!.detail['values'] as { name: string; value: unknown }[]
    assert.deepEqual(values.slice(0, 2), [
      { name: 'event.data.order.total', value: 90 },
      { name: 'contact.metadata.note', value: `${'x'.repeat(100)}…` },
    ])
    assert.equal(values[2]!.name, 'contact.createdAt')
    assert.ok(Date.parse(String(values[2]!.value)) > 0)

    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:read'] })
    const { body } = await service.call('GET', `contacts/${contactId}/decisions`, undefined, { key })
    const [without] = (body as { data: Decision[] }).data
    assert.deepEqual(without!.detail, { matches: [true] })
    assert.equal(without!.sentence, 'Took the branch “Large”: its condition was the first that matched.')
  })

  it('name the event that ended the enrollment', async () => {
    const automationId = await anAutomation(service, {
      name: 'Trial',
      steps: [{ type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 }],
      exitOn: [{ eventName: 'left' }],
      goal: { eventName: 'paid' },
    })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await have(contactId, 1)
    await anEvent(service, contactId, 'Paid')
    const [end, waiting] = await have(contactId, 2)
    assert.partialDeepStrictEqual(end, {
      ...{ kind: 'END', rule: 'GOAL_REACHED', detail: { eventName: 'paid' } },
      ...{ automationName: 'Trial', sentence: 'Reached the goal: received paid.' },
    })
    assert.equal(waiting!.sentence, 'Waited for project.created until the enrollment ended.')
  })

  it('include entries that a rule refused, and belong to one contact', async () => {
    const automationId = await anAutomation(service, {
      triggerConfig: { eventName: 'signed' },
      entry: { filter: { eventData: 'plan', is: 'equal', value: 'pro' } },
    })
    const contactId = await aContact(service)
    await anEvent(service, contactId, 'signed', { plan: 'free' })
    const [refused] = (await pageOf(contactId, `?automationId=${automationId}`)).data
    assert.partialDeepStrictEqual(refused, {
      ...{ kind: 'ENTRY', rule: 'FILTER', enrollmentId: null },
      sentence: 'Was not enrolled: the entry filter did not match.',
    })
    const { body } = await service.call('GET', `automations/${automationId}/stats`)
    assert.deepEqual(body.data.refused, { filter: 1, reentry: 0, key: 0, loop: 0, paused: 0, triggersOff: 0 })
    assert.deepEqual((await pageOf(await aContact(service))).data, [])
    assert.equal((await pageOf(contactId, '?automationId=unknown')).data.length, 0)
  })
})
