import assert from 'node:assert/strict'
import { recordEnrollment } from '../../src/db/queries/enrollments.ts'
import { sql } from '../../src/db/sql.ts'
import { newId } from '../../src/domain/ids.ts'
import { settleActive } from '../../src/services/settle-active.ts'
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

  /** What has an enrollment in a wait that has ended by the ledger. */
  async function behind(eventName: string) {
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL], triggerConfig: { eventName } })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await waits(automationId, contactId)
    const ended = `update enrollments set status = 'COMPLETED', ended_at = now() where contact_id = $1::uuid`
    await sql(em(), ended, [contactId])
    return { automationId, contactId }
  }
  /** The workflow is that of the enrollment that came last, and waits in it. */
  async function makesRoom(automationId: string, contactId: string) {
    const last = await eventually('another is enrolled', async () => {
      const [, row] = await rowsOf(contactId)
      return row?.status === 'ACTIVE' ? row.id : undefined
    })
    await eventually('it has made room', async () =>
      (await enrolledIn(automationId, contactId)) === last ? true : undefined,
    )
    await waits(automationId, contactId)
    assert.deepEqual(
      (await rowsOf(contactId)).map(({ status }) => status),
      ['COMPLETED', 'ACTIVE'],
    )
    return last
  }

  it('lets in a call at once, where an enrollment runs that is over', async () => {
    const { automationId, contactId } = await behind('nothing')
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    await makesRoom(automationId, contactId)
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, false)
  })

  it('lets in an event at once, where an enrollment runs that is over', async () => {
    const { automationId, contactId } = await behind('at once')
    assert.equal((await anEvent(service, contactId, 'at once')).body.data.matchingAutomations, 1)
    await makesRoom(automationId, contactId)
  })

  it('has the reconciliation find whoever it does not know, where an enrollment runs that is over', async () => {
    const { automationId, contactId } = await behind('nothing')
    const write = { id: newId(), automationId, contactId, cause: null, triggerEventId: null, enrolledAt: new Date() }
    await recordEnrollment(em(), write)
    assert.equal(await settleActive(service.context.dependencies, write), true)
    assert.equal(await makesRoom(automationId, contactId), write.id)
  })

  it('puts out nobody who was recorded in the moment in which a call finds the place free', async () => {
    const automationId = await anAutomation(service, { steps: [wait(60)] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const before = await rowsOf(contactId)
    const write = { id: newId(), automationId, contactId, cause: null, triggerEventId: null, enrolledAt: new Date() }
    assert.equal(await recordEnrollment(em(), write, { supersedes: false }), undefined)
    assert.deepEqual(await rowsOf(contactId), before)
  })
})
