import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, activityOf, anAutomation, anEvent } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('steps that are edited before a new enrollment is recorded', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())
  afterEach(() => service.stopWorkers())

  const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' })
  let events = 0

  for (const [what, draft] of [
    ['deleted', []],
    ['replaced by an email without a body', [{ type: 'EMAIL', subject: 'A draft, not to be sent' }]],
    ['replaced', [email('A draft, not to be sent')]],
  ] as const) {
    it(`keep their content for a paused enrollment if they are ${what}`, async () => {
      const eventName = `bought ${(events += 1)}`
      const automationId = await anAutomation(service, {
        triggerConfig: { eventName },
        steps: [email('The first one')],
      })
      const contactId = await aContact(service)
      const patch = (status: string) => service.call('PATCH', `automations/${automationId}`, { status })
      const put = (steps: readonly object[]) => service.call('PUT', `automations/${automationId}/steps`, { steps })
      assert.equal((await anEvent(service, contactId, eventName)).body.data.matchingAutomations, 1)
      await patch('PAUSED')
      assert.equal((await put(draft)).status, 200)
      await service.startWorker()
      await eventually('it is paused', async () => {
        const rows = await sql<{ paused: boolean }>(
          service.context.orm.em.fork(),
          'select paused from enrollments where contact_id = $1::uuid',
          [contactId],
        )
        return rows[0]?.paused ? true : undefined
      })
      assert.equal((await put([email('The second one')])).status, 200)
      assert.equal((await patch('ACTIVE')).status, 200)
      const sent = await eventually('the email arrives', async () => {
        const activity = await activityOf(service, contactId)
        return activity[0]?.status === 'CAPTURED' ? activity : undefined
      })
      assert.deepEqual(
        sent.map(({ subject }) => subject),
        ['The first one'],
      )
    })
  }
})
