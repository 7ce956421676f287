import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, anAutomation, anEvent, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('enrollments with a concurrency key that only Temporal knows', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  it('are recorded and ended, all of them, by a request that ends the enrollment of the contact', async () => {
    const automationId = await anAutomation(service, {
      triggerConfig: { eventName: 'ordered' },
      entry: { concurrency: { key: 'event.data.orderId' } },
      steps: [wait(60), EMAIL],
    })
    const contactId = await aContact(service)
    // Without a worker, the workflows start, and their rows are not written.
    for (const orderId of ['one', 'two']) await anEvent(service, contactId, 'ordered', { orderId })
    const { enrollments } = service.context.dependencies
    await eventually('both are listed', async () => {
      const keys: string[] = []
      for await (const listed of enrollments.listRunning({ automationId, contactId })) keys.push(listed.concurrencyKey)
      return keys.length === 2 ? true : undefined
    })
    const ended = await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
    assert.equal(ended.status, 200)
    const rows = await sql<{ status: string }>(
      service.context.orm.em.fork(),
      'select status from enrollments where contact_id = $1::uuid',
      [contactId],
    )
    assert.deepEqual(rows, [{ status: 'CANCELLED' }, { status: 'CANCELLED' }])
  })
})
