import assert from 'node:assert/strict'
import { lostEvents } from '../../src/triggers/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, anEvent, EMAIL, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('an event that Temporal lost', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()

  it('counts as arrived only if the contact is in the automation with the key of the event', async () => {
    const automationId = await anAutomation(service, {
      triggerConfig: { eventName: 'ordered' },
      entry: { concurrency: { key: 'event.data.orderId' } },
      steps: [wait(60), EMAIL],
    })
    const contactId = await aContact(service)
    for (const orderId of ['one', 'two']) await anEvent(service, contactId, 'ordered', { orderId })
    const events = await eventually('both events are delivered', async () => {
      const rows = await sql<{ id: string; key: string; pending: number }>(
        em(),
        `select event.id, event.concurrency_keys[1] as key,
           (select count(*) from outbox where event_id = event.id)::integer as pending
         from trigger_events event where contact_id = $1::uuid and type = 'EVENT' order by created_at`,
        [contactId],
      )
      return rows.every(({ pending }) => pending === 0) ? rows : undefined
    })
    const [first, second] = events
    assert.notEqual(first!.key, second!.key)
    // As after a restore of Temporal: the first event has started an enrollment that is recorded, and nothing is left of the second.
    await sql(
      em(),
      `insert into enrollments (id, workspace_id, automation_id, contact_id, version, dedup_key, status, enrolled_at, wakes_at, concurrency_key)
       values (gen_random_uuid(), $1::uuid, $2::uuid, $3::uuid, 1, 'event:' || $4::text, 'ACTIVE', now(), now(), $5)`,
      [service.workspaceId, automationId, contactId, first!.id, first!.key],
    )
    const { lost } = await lostEvents(em(), { afterId: null, limit: 1_000, atLeastMinutes: 0 })
    assert.deepEqual(
      lost.flatMap(({ eventId, concurrencyKey, ...of }) =>
        of.contactId === contactId ? [[eventId, concurrencyKey]] : [],
      ),
      [[second!.id, second!.key]],
    )
  })
})
