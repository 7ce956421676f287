import assert from 'node:assert/strict'
import { IS_PENDING, enqueue } from '../../src/outbox/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { activityOf, aContact, aList, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { lockWaits } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('erasing a contact', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  it('deletes all their data, cancels their workflows and updates the counters', async () => {
    const email = 'erase-me@example.com'
    const listId = await aList(service)
    const idempotent = { headers: { 'idempotency-key': 'erased' } }
    const body = { email, firstName: 'Erasmus', metadata: { secret: 'erasmus-secret' }, listId, tags: ['erasable'] }
    const created = await service.call('POST', 'contacts', body, idempotent)
    const contactId: string = created.body.data.id
    const automationId = await anAutomation(service, {
      triggerConfig: { eventName: 'erase' },
      steps: [EMAIL, wait(60), EMAIL],
    })
    await service.call('POST', `contacts/${contactId}/events`, { name: 'erase', data: { note: 'erasmus-note' } })
    await eventually('the email is sent', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SENT'),
    )
    const { total } = (await service.call('GET', 'contacts')).body.pagination

    const { status, body: answer } = await service.call('DELETE', `contacts/${contactId}`)
    assert.deepEqual([status, answer], [200, { data: { id: contactId, deleted: true } }])
    assert.equal((await service.call('GET', `contacts/${contactId}`)).refused, '404 contact_not_found')
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).body.error, 'Contact not found')
    assert.equal((await service.call('GET', 'contacts')).body.pagination.total, total - 1)
    assert.equal((await service.call('GET', `lists/${listId}`)).body.data.contactCount, 0)

    const em = () => service.context.orm.em.fork()
    const tables = await sql<{ name: string }>(
      em(),
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    // Audit entries keep IDs, and unsubscribe links that went to the contact stay valid.
    const withIds = ['outbox', 'audit_entries', 'erased_contacts']
    for (const { name } of tables) {
      const rows = await sql(em(), `select 1 from ${name} row where row::text ~* $1`, [
        `erasmus|erase-me|erasable|${withIds.includes(name) ? 'nothing' : contactId}`,
      ])
      assert.equal(rows.length, 0, `${name} still has data of the contact`)
    }
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('the workflow has ended', async () =>
      (await handle.describe()).status.name === 'RUNNING' ? undefined : true,
    )
    const pending = `select 1 from outbox where ${IS_PENDING} and (contact_id = $1::uuid or automation_id = $2::uuid)`
    await eventually('nothing is pending', async () =>
      (await sql(em(), pending, [contactId, automationId])).length === 0 ? true : undefined,
    )
  })

  it('completes through the outbox relay if the process died before cancelling the workflow', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL] })
    await enroll(service, automationId, contactId)
    await enqueue(service.context.orm.em.fork(), { kind: 'CANCEL', automationId, contactId, concurrencyKey: '' })
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('the workflow has ended', async () =>
      (await handle.describe()).status.name === 'RUNNING' ? undefined : true,
    )
  })

  it('returns 404 for an event and an enrollment that wait for the erasure', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [wait(60)] })
    let late: Awaited<ReturnType<Service['call']>>[] | undefined
    const em = service.context.orm.em.fork()
    await em.transactional(async (erasing) => {
      await sql(erasing, 'delete from contacts where id = $1::uuid', [contactId])
      const answers = [
        service.call('POST', `contacts/${contactId}/events`, { name: 'late' }),
        service.call('POST', `automations/${automationId}/enroll`, { contactId }),
      ]
      await lockWaits(em, 2)
      void Promise.all(answers).then((done) => (late = done))
    })
    const answered = await eventually('both requests are answered', () => Promise.resolve(late))
    assert.deepEqual(
      answered.map(({ status }) => status),
      [404, 404],
    )
  })
})
