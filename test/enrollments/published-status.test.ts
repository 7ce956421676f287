import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('the published status of an enrollment', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  it('is ACTIVE for an enrollment that follows a paused one in the same workflow', async () => {
    const em = () => service.context.orm.em.fork()
    const automationId = await anAutomation(service, { steps: [EMAIL], triggerConfig: { eventName: 'after' } })
    const contactId = await aContact(service)
    const { temporal, dependencies } = service.context
    const handle = temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    const publishes = (status: string) =>
      eventually(`it is ${status}`, async () => {
        const { searchAttributes } = await handle.describe()
        return String(searchAttributes['EnrollmentStatus']) === status ? true : undefined
      })
    await service.stopWorkers()
    await enroll(service, automationId, contactId)
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await service.startWorker()
    await publishes('PAUSED')
    // The enrollment has ended only in the database: Temporal's data came from a backup.
    await sql(
      em(),
      `update enrollments set status = 'COMPLETED', paused = false, ended_at = now() where contact_id = $1::uuid`,
      [contactId],
    )
    await service.call('PUT', `automations/${automationId}/steps`, { steps: [wait(60), EMAIL] })
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await anEvent(service, contactId, 'after')
    const [active] = await eventually('the contact is enrolled', async () => {
      const rows = await sql<{ id: string }>(
        em(),
        `select id from enrollments where contact_id = $1::uuid and status = 'ACTIVE'`,
        [contactId],
      )
      return rows.length > 0 ? rows : undefined
    })
    await publishes('ACTIVE')
    assert.equal(await dependencies.enrollments.state(automationId, contactId, active!.id), 'RUNNING')
  })
})
