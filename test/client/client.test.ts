import assert from 'node:assert/strict'
import { createDriplineClient, DriplineError } from '@dripline/client'
import { startService, type Service } from '../support/service.ts'

describe('the client', () => {
  let service: Service
  let baseUrl: string
  before(async () => {
    service = await startService({ worker: false })
    baseUrl = `http://127.0.0.1:${service.port}/api/v1`
  })
  after(() => service.stop())

  it('creates a contact, a list and an automation, enrolls the contact and fires an event', async () => {
    const dripline = createDriplineClient({ baseUrl, apiKey: service.key })
    const contact = await dripline.POST('/contacts', {
      body: { email: 'typed@example.com', firstName: 'Typed', metadata: { plan: 'pro' }, tags: ['typed'] },
      params: { header: { 'Idempotency-Key': 'typed-1' } },
    })
    const contactId = contact.data.data.id
    const list = await dripline.POST('/lists', { body: { name: 'Typed' } })
    const listId = list.data.data.id
    const joined = await dripline.POST('/lists/{id}/contacts', {
      params: { path: { id: listId } },
      body: { contactId },
    })
    assert.equal(joined.data.data.added, 1)
    const automation = await dripline.POST('/automations', {
      body: {
        name: 'Typed',
        status: 'ACTIVE',
        trigger: 'EVENT',
        triggerConfig: { eventName: 'typed' },
        steps: [
          { type: 'WAIT', delayMinutes: 5 },
          { type: 'EMAIL', subject: 'Hello', text: 'Hi' },
        ],
      },
    })
    const { id, steps } = automation.data.data
    assert.deepEqual(
      steps.map((step) => [step.type, step.subject, step.delayMinutes]),
      [
        ['WAIT', null, 5],
        ['EMAIL', 'Hello', 0],
      ],
    )
    const enrolled = await dripline.POST('/automations/{id}/enroll', {
      params: { path: { id } },
      body: { contactId, merge: { source: 'client' } },
    })
    assert.deepEqual([enrolled.response.status, enrolled.data.data.enrolled], [202, true])
    const fired = await dripline.POST('/contacts/{id}/events', {
      params: { path: { id: contactId } },
      body: { name: 'TYPED', data: { amount: 1 } },
    })
    assert.equal(fired.data.data.matchingAutomations, 1)
    const found = await dripline.GET('/contacts', { params: { query: { tag: 'typed', limit: 1 } } })
    assert.deepEqual(found.data.data[0]?.metadata, { plan: 'pro', source: 'client' })
    await assert.rejects(dripline.GET('/contacts/{id}', { params: { path: { id: 'none' } } }), (error) => {
      assert.ok(error instanceof DriplineError)
      assert.deepEqual([error.status, error.code, error.message], [404, 'contact_not_found', 'Contact not found'])
      return error.requestId !== undefined
    })
  })
})
