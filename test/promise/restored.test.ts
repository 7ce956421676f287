import assert from 'node:assert/strict'
import { sql } from '../../src/db/sql.ts'
import { stateQuery } from '../../workflows/messages.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

/** Temporal's data come from a backup and are older than the ledger, or are gone. */
describe('a Temporal that is older than the ledger', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  const em = () => service.context.orm.em.fork()
  const handleOf = (automationId: string, contactId: string) =>
    service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
  const waits = (automationId: string, contactId: string) =>
    eventually('it waits', async () => {
      const { wakeAt } = await handleOf(automationId, contactId).query(stateQuery)
      return wakeAt ?? undefined
    })
  const rowsOf = (contactId: string) =>
    sql<{ id: string; status: string }>(
      em(),
      'select id, status from enrollments where contact_id = $1::uuid order by enrolled_at',
      [contactId],
    )
  const enrolledIn = async (automationId: string, contactId: string) =>
    (await handleOf(automationId, contactId).describe()).memo?.['enrollmentId']

  /** What knows nothing of an enrollment that is past its first email. */
  async function forgotten(eventName: string) {
    const steps = [{ ...EMAIL, subject: 'first' }, wait(60), { ...EMAIL, subject: 'second' }]
    const automationId = await anAutomation(service, { steps, triggerConfig: { eventName } })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const wakeAt = await waits(automationId, contactId)
    await service.context.temporal.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `enrollment:${automationId}:${contactId}` },
    })
    const gone = () =>
      handleOf(automationId, contactId)
        .describe()
        .then(
          () => undefined,
          () => true,
        )
    await eventually('it is gone', gone)
    const [row] = await rowsOf(contactId)
    return { automationId, contactId, wakeAt, enrollmentId: row!.id }
  }

  for (const [way, again] of [
    ['a call', (automationId: string, contactId: string) => enroll(service, automationId, contactId)],
    ['an event', (_automationId: string, contactId: string) => anEvent(service, contactId, 'an event')],
  ] as const) {
    it(`has an enrollment that it does not know go on where it was, when ${way} enters again`, async () => {
      const { automationId, contactId, wakeAt, enrollmentId } = await forgotten(way)
      const { body } = await again(automationId, contactId)
      assert.ok(body.data.enrolled === false || body.data.matchingAutomations === 1)
      // The wait began when the email was sent, by whatever clock.
      assert.ok(Math.abs((await waits(automationId, contactId)) - wakeAt) < 5_000)
      assert.equal(await enrolledIn(automationId, contactId), enrollmentId)
      assert.deepEqual(await rowsOf(contactId), [{ id: enrollmentId, status: 'ACTIVE' }])
      assert.equal((await activityOf(service, contactId)).length, 1)
    })
  }
})
