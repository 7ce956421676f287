import assert from 'node:assert/strict'
import type { Client } from '@temporalio/client'
import { recordEnrollment } from '../../src/enrollments/record-enrollment.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { reconcile } from '../../src/relay/reconcile.ts'
import { isStillEnrolled } from '../../src/enrollments/reconcile-enrollments.ts'
import { createEnrollments } from '../../src/temporal/client.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

/** Temporal's data comes from a backup and is older than the database, or is lost. */
describe('a Temporal that is older than the database', () => {
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

  /** Creates an enrollment after its first email that Temporal does not have. */
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
    it(`continues a lost enrollment where it left off when the contact enters again through ${way}`, async () => {
      const { automationId, contactId, wakeAt, enrollmentId } = await forgotten(way)
      const { body } = await again(automationId, contactId)
      assert.ok(body.data.enrolled === false || body.data.matchingAutomations === 1)
      // The wait began when the email was sent, according to every clock.
      assert.ok(Math.abs((await waits(automationId, contactId)) - wakeAt) < 5_000)
      assert.equal(await enrolledIn(automationId, contactId), enrollmentId)
      assert.deepEqual(await rowsOf(contactId), [{ id: enrollmentId, status: 'ACTIVE' }])
      assert.equal((await activityOf(service, contactId)).length, 1)
    })
  }

  it('treats a workflow that an operator has paused in Temporal as running', async () => {
    const automationId = await anAutomation(service, { steps: [wait(60)] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const [row] = await rowsOf(contactId)
    const { dependencies, instance, temporal } = service.context
    for (const name of ['PAUSED', 'UNKNOWN']) {
      const describe = async () => ({ ...(await handleOf(automationId, contactId).describe()), status: { name } })
      const client = {
        withDeadline: (_deadline: unknown, call: () => Promise<unknown>) => call(),
        workflow: { ...temporal.workflow, getHandle: () => ({ describe }) },
      } as unknown as Client
      const enrollments = createEnrollments(client, 'unused', instance)
      assert.equal((await enrollments.findRunning(automationId, contactId))?.enrollmentId, row!.id)
      const ids = { id: row!.id, automationId, contactId }
      assert.equal(await isStillEnrolled({ ...dependencies, enrollments }, ids), true)
    }
    assert.deepEqual(await rowsOf(contactId), [row])
  })

  it('continues an enrollment that is paused in Temporal, but not in the database', async () => {
    const automationId = await anAutomation(service, { status: 'PAUSED' })
    const contactId = await aContact(service)
    // It was enrolled before.
    await sql(em(), `update automations set status = 'ACTIVE' where id = $1::uuid`, [automationId])
    await service.stopWorkers()
    await enroll(service, automationId, contactId)
    await sql(em(), `update automations set status = 'PAUSED' where id = $1::uuid`, [automationId])
    await service.startWorker()
    await eventually('it is paused', async () => {
      const { paused } = await handleOf(automationId, contactId).query(stateQuery)
      return paused || undefined
    })
    const [row] = await rowsOf(contactId)
    const ids = { id: row!.id, automationId, contactId }
    const { dependencies } = service.context
    let signals = 0
    const enrollments = {
      ...dependencies.enrollments,
      automationChanged: (...of: [string, string]) => {
        signals += 1
        return dependencies.enrollments.automationChanged(...of)
      },
    }
    assert.equal(await isStillEnrolled({ ...dependencies, enrollments }, ids), true)
    assert.equal(signals, 0, 'its automation is paused')
    // An older Temporal: the database has newer data.
    await sql(em(), `update automations set status = 'ACTIVE' where id = $1::uuid`, [automationId])
    await sql(em(), 'update enrollments set paused = false where id = $1::uuid', [row!.id])
    assert.equal(await isStillEnrolled(dependencies, ids), true)
    await eventually('the email arrives', async () => (await activityOf(service, contactId)).length === 1 || undefined)
  })

  describe('after losing an event', () => {
    const overdue = (eventName: string) =>
      sql(em(), `update trigger_events set created_at = now() - interval '20 minutes' where name = $1`, [eventName])
    const redeliver = () => sql(em(), `update outbox set due_at = now() where kind = 'REDELIVER'`)
    const forget = (automationId: string, contactId: string) =>
      service.context.temporal.workflowService.deleteWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: `enrollment:${automationId}:${contactId}` },
      })
    const received = (contactId: string) =>
      sql(em(), 'select from processed_events where contact_id = $1::uuid', [contactId])

    async function fired(eventName: string) {
      await service.stopWorkers()
      const automationId = await anAutomation(service, { triggerConfig: { eventName } })
      const contactId = await aContact(service)
      await anEvent(service, contactId, eventName)
      await eventually('Temporal has it', () => handleOf(automationId, contactId).describe())
      return { automationId, contactId }
    }

    it('gets it again, once', async () => {
      const { automationId, contactId } = await fired('forgotten')
      await forget(automationId, contactId)
      await overdue('forgotten')
      await service.startWorker()
      for (let times = 0; times < 2; times += 1) {
        await redeliver()
        await eventually(
          'the email arrives',
          async () => (await activityOf(service, contactId)).length === 1 || undefined,
        )
      }
      assert.equal((await rowsOf(contactId)).length, 1)
    })

    it('gets it immediately in a reconciliation, which reports it', async () => {
      const { automationId, contactId } = await fired('reconciled')
      const delivered = async (isDry = false) =>
        (await reconcile(service.context.dependencies, { isDry })).differences.filter(
          ({ what }) => what === 'delivered',
        )
      assert.deepEqual(await delivered(true), [])
      await forget(automationId, contactId)
      const difference = { enrollmentId: null, automationId, contactId, what: 'delivered' }
      assert.deepEqual(await delivered(true), [difference])
      assert.deepEqual(await delivered(), [difference])
      assert.deepEqual(await delivered(), [])
      await service.startWorker()
      await eventually(
        'the email arrives',
        async () => (await activityOf(service, contactId)).length === 1 || undefined,
      )
      assert.equal((await rowsOf(contactId)).length, 1)
    })

    it('does not get an event again if it is waiting for a worker or an operator has ended its workflow', async () => {
      const { automationId, contactId } = await fired('ended')
      await handleOf(automationId, contactId).terminate()
      await overdue('ended')
      await service.startWorker()
      await redeliver()
      await eventually('it is recorded', async () => (await received(contactId)).length === 1 || undefined)
      assert.deepEqual(await rowsOf(contactId), [])
    })
  })

  it('does not replace an enrollment that is recorded while a request finds none', async () => {
    const automationId = await anAutomation(service, { steps: [wait(60)] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const before = await rowsOf(contactId)
    const write = { id: newId(), automationId, contactId, dedupKey: null, triggerEventId: null, enrolledAt: new Date() }
    assert.equal(await recordEnrollment(em(), write, { supersedes: false }), undefined)
    assert.deepEqual(await rowsOf(contactId), before)
  })
})
