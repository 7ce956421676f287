import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, aList, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { startApiProcess } from '../support/processes.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const SEQUENCE = [EMAIL, wait(60)]

describe('triggers of an automation', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const enrolled = async (automationId: string) => {
    const rows = await sql<{ contact_id: string }>(
      service.context.orm.em.fork(),
      'select contact_id from enrollments where automation_id = $1::uuid',
      [automationId],
    )
    return rows.map((row) => row.contact_id)
  }
  const eventuallyEnrolled = (automationId: string, count: number) =>
    eventually(`${count} enrollments`, async () => {
      const contacts = await enrolled(automationId)
      assert.ok(contacts.length <= count, `${contacts.length} enrollments`)
      return contacts.length === count ? contacts : undefined
    })
  const eventsFor = async (automationId: string) => {
    const rows = await sql(
      service.context.orm.em.fork(),
      'select 1 from trigger_events where automation_ids = array[$1::uuid]',
      [automationId],
    )
    return rows.length
  }
  const pending = () =>
    eventually('nothing is pending', async () => {
      const rows = await sql(
        service.context.orm.em.fork(),
        `select 1 from outbox where kind = 'START' and workspace_id = $1::uuid`,
        [service.workspaceId],
      )
      return rows.length === 0 ? true : undefined
    })

  it('include every way of joining a list, but no other change to it', async () => {
    const listId = await aList(service)
    const elsewhere = await aList(service)
    const automationId = await anAutomation(service, {
      trigger: 'LIST_ADDED',
      triggerConfig: { listId },
      steps: SEQUENCE,
    })
    const first = await aContact(service, { listId })
    const second = await aContact(service, { listId: elsewhere })
    await service.call('POST', `lists/${listId}/contacts`, { contactId: second })
    const third = await aContact(service)
    const fourth = await aContact(service)
    await service.call('POST', `lists/${listId}/contacts`, { contactIds: [third, fourth, first] })
    await service.call('POST', 'contacts/bulk', { contacts: [{ email: 'joins@example.com', listId }] })
    const contacts = await eventuallyEnrolled(automationId, 5)
    for (const id of [first, second, third, fourth]) assert.ok(contacts.includes(id))

    const { email } = (await service.call('GET', `contacts/${first}`)).body.data
    await service.call('POST', 'contacts', { email, listId })
    await service.call('POST', `lists/${listId}/contacts`, { contactId: first })
    await service.call('POST', `lists/${listId}/contacts`, { contactIds: contacts })
    await service.call('POST', 'contacts/bulk', { contacts: [{ email, listId }] })
    assert.equal(await eventsFor(automationId), 5)
  })

  it('include getting a tag, in upper or lower case, but no other change to it', async () => {
    const automationId = await anAutomation(service, {
      trigger: 'TAG_ADDED',
      triggerConfig: { tagName: 'Customer' },
      steps: SEQUENCE,
    })
    const first = await aContact(service, { tags: ['customer', 'other'] })
    const second = await aContact(service)
    await service.call('POST', `contacts/${second}/tags`, { tags: ['CUSTOMER', 'customer'] })
    await service.call('POST', 'contacts/bulk', {
      contacts: [{ email: 'tagged@example.com', tags: ['x', 'Customer'] }],
    })
    await eventuallyEnrolled(automationId, 3)
    await service.call('POST', `contacts/${first}/tags`, { tags: ['Customer'] })
    assert.equal(await eventsFor(automationId), 3)
  })

  it("put the request ID into the workflow's memo", async () => {
    const automationId = await anAutomation(service, { triggerConfig: { eventName: 'memo' }, steps: SEQUENCE })
    const contactId = await aContact(service)
    await service.call(
      'POST',
      `contacts/${contactId}/events`,
      { name: 'memo' },
      { headers: { 'x-request-id': 'req-7' } },
    )
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    assert.equal((await handle.describe()).memo?.['requestId'], 'req-7')
  })

  it('enroll each of 80 contacts of a bulk request once, even if the API is killed after its 2xx', async () => {
    const signUps = await anAutomation(service, { trigger: 'SIGNUP', steps: SEQUENCE })
    const api = await startApiProcess(service)
    const contacts = Array.from({ length: 80 }, (_, n) => ({ email: `bulk-${n}@example.com` }))
    const answer = await fetch(`${api.baseUrl}/contacts/bulk`, {
      method: 'POST',
      headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
      body: JSON.stringify({ contacts }),
    })
    await api.kill()
    assert.equal(answer.status, 200)
    const enrollments = await eventuallyEnrolled(signUps, 80)
    assert.equal(new Set(enrollments).size, 80)
    await pending()
    assert.equal((await enrolled(signUps)).length, 80)
  })
})
