import assert from 'node:assert/strict'
import type { Client } from '@temporalio/client'
import { lastSettled } from '../../src/enrollments/active-queries.ts'
import { recordEnrollment } from '../../src/enrollments/record-enrollment.ts'
import { findMessage } from '../../src/messages/read-queries.ts'
import { prepareStored } from '../../src/messages/retry-message.ts'
import { listUnconfirmed } from '../../src/messages/unconfirmed-messages.ts'
import { anAttempt, storeOf } from '../support/step-claims.ts'
import { insertCustomEvent } from '../../src/triggers/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { reconcile } from '../../src/relay/reconcile.ts'
import { settleActive } from '../../src/enrollments/settle-active.ts'
import { createEnrollments } from '../../src/temporal/client.ts'
import { stateQuery } from '../../src/sequences/contract.ts'
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

  it('takes what an operator has paused in Temporal for running', async () => {
    const automationId = await anAutomation(service, { steps: [wait(60)] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const [row] = await rowsOf(contactId)
    const { dependencies, installation, temporal } = service.context
    for (const name of ['PAUSED', 'UNKNOWN']) {
      const describe = async () => ({ ...(await handleOf(automationId, contactId).describe()), status: { name } })
      const client = {
        withDeadline: (_deadline: unknown, call: () => Promise<unknown>) => call(),
        workflow: { ...temporal.workflow, getHandle: () => ({ describe }) },
      } as unknown as Client
      const enrollments = createEnrollments(client, 'unused', installation)
      assert.equal((await enrollments.findRunning(automationId, contactId))?.enrollmentId, row!.id)
      const ids = { id: row!.id, automationId, contactId }
      assert.equal(await settleActive({ ...dependencies, enrollments }, ids), true)
    }
    assert.deepEqual(await rowsOf(contactId), [row])
  })

  it('has one that it holds, and the ledger does not, go on', async () => {
    const automationId = await anAutomation(service, { status: 'PAUSED' })
    const contactId = await aContact(service)
    // It was entered before.
    await sql(em(), `update automations set status = 'ACTIVE' where id = $1::uuid`, [automationId])
    await service.stopWorkers()
    await enroll(service, automationId, contactId)
    await sql(em(), `update automations set status = 'PAUSED' where id = $1::uuid`, [automationId])
    await service.startWorker()
    await eventually('it is held', async () => {
      const { held } = await handleOf(automationId, contactId).query(stateQuery)
      return held || undefined
    })
    const [row] = await rowsOf(contactId)
    const ids = { id: row!.id, automationId, contactId }
    const { dependencies } = service.context
    let told = 0
    const enrollments = {
      ...dependencies.enrollments,
      automationChanged: (...of: [string, string]) => {
        told += 1
        return dependencies.enrollments.automationChanged(...of)
      },
    }
    assert.equal(await settleActive({ ...dependencies, enrollments }, ids), true)
    assert.equal(told, 0, 'its automation is paused')
    // What an older Temporal looks like: the ledger has gone on.
    await sql(em(), `update automations set status = 'ACTIVE' where id = $1::uuid`, [automationId])
    await sql(em(), 'update enrollments set held = false where id = $1::uuid', [row!.id])
    assert.equal(await settleActive(dependencies, ids), true)
    await eventually('it is mailed', async () => (await activityOf(service, contactId)).length === 1 || undefined)
  })

  describe('and has forgotten an event', () => {
    const overdue = (eventName: string) =>
      sql(em(), `update trigger_events set created_at = now() - interval '20 minutes' where name = $1`, [eventName])
    const redeliver = () => sql(em(), `update outbox set due_at = now() where kind = 'REDELIVER'`)
    const forget = (automationId: string, contactId: string) =>
      service.context.temporal.workflowService.deleteWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId: `enrollment:${automationId}:${contactId}` },
      })
    const heard = (contactId: string) => sql(em(), 'select from heard_events where contact_id = $1::uuid', [contactId])

    async function fired(eventName: string) {
      await service.stopWorkers()
      const automationId = await anAutomation(service, { triggerConfig: { eventName } })
      const contactId = await aContact(service)
      await anEvent(service, contactId, eventName)
      await eventually('Temporal has it', () => handleOf(automationId, contactId).describe())
      return { automationId, contactId }
    }

    it('is told of it again, once', async () => {
      const { automationId, contactId } = await fired('forgotten')
      await forget(automationId, contactId)
      await overdue('forgotten')
      await service.startWorker()
      for (let times = 0; times < 2; times += 1) {
        await redeliver()
        await eventually('it is mailed', async () => (await activityOf(service, contactId)).length === 1 || undefined)
      }
      assert.equal((await rowsOf(contactId)).length, 1)
    })

    it('is told of it at once by a reconciliation, which says so', async () => {
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
      await eventually('it is mailed', async () => (await activityOf(service, contactId)).length === 1 || undefined)
      assert.equal((await rowsOf(contactId)).length, 1)
    })

    it('is told of it, also where an enrollment runs there that was over before it', async () => {
      const automationId = await anAutomation(service, { steps: [wait(60)], triggerConfig: { eventName: 'behind' } })
      const contactId = await aContact(service)
      await service.stopWorkers()
      await service.startWorker()
      await enroll(service, automationId, contactId)
      await waits(automationId, contactId)
      await sql(
        em(),
        `update enrollments set status = 'CANCELLED', ended_at = now() - interval '1 hour' where contact_id = $1::uuid`,
        [contactId],
      )
      const ids = { id: newId(), workspaceId: service.workspaceId, contactId }
      await insertCustomEvent(em(), { ...ids, key: 'behind', name: 'behind', data: undefined, requestId: null })
      await sql(em(), `delete from outbox where kind = 'START' and event_id = $1::uuid`, [ids.id])
      await overdue('behind')
      await redeliver()
      await eventually('it enters', async () => (await rowsOf(contactId)).length === 2 || undefined)
    })

    it('is not told of one that waits for a worker, nor of one that an operator has ended', async () => {
      const { automationId, contactId } = await fired('ended')
      await handleOf(automationId, contactId).terminate()
      await overdue('ended')
      await service.startWorker()
      await redeliver()
      await eventually('it is remembered', async () => (await heard(contactId)).length === 1 || undefined)
      assert.deepEqual(await rowsOf(contactId), [])
    })
  })

  describe('has an enrollment go on where it was', () => {
    const steps = [{ ...EMAIL, subject: 'first' }, wait(60), { ...EMAIL, subject: 'second' }, wait(60)]
    /** Somebody who has got both emails: the first a while ago. */
    async function behindBoth(automation: object = {}) {
      const automationId = await anAutomation(service, { steps, ...automation })
      const contactId = await aContact(service)
      await enroll(service, automationId, contactId)
      await waits(automationId, contactId)
      const [row] = await rowsOf(contactId)
      const { body } = await service.call('GET', `automations/${automationId}`)
      const [first, , second] = (body as { data: { steps: { id: string }[] } }).data.steps.map(({ id }) => id)
      await sql(
        em(),
        `insert into messages (id, workspace_id, contact_id, automation_id, enrollment_id, step_id, visit, status, claim,
           claimed_at, settled_at)
         select gen_random_uuid(), workspace_id, contact_id, automation_id, enrollment_id, $2::uuid, 0, 'SENT',
           gen_random_uuid(), now() + interval '1 hour', now() + interval '1 hour'
         from messages where contact_id = $1::uuid`,
        [contactId, second],
      )
      return { enrollmentId: row!.id, first, second, contactId }
    }

    it('also where an operator has had an earlier email sent again since', async () => {
      const { enrollmentId, first, second, contactId } = await behindBoth()
      const before = await lastSettled(em(), enrollmentId)
      assert.equal(before?.stepId, second)
      const settledAt = `select settled_at from messages where step_id = $1::uuid`
      const [was] = await sql(em(), settledAt, [first])
      await sql(em(), `update messages set status = 'UNCONFIRMED' where step_id = $1::uuid`, [first])
      const [listed] = (await listUnconfirmed(em())).filter((one) => one.contactId === contactId)
      const store = storeOf(service)
      const message = await prepareStored({ em: em(), store }, (await findMessage(em(), listed!.id))!, 'resend')
      assert.ok(await store.claim(anAttempt(message!), { status: 'SENDING' }))
      assert.deepEqual(await sql(em(), settledAt, [first]), [was])
      assert.deepEqual(await lastSettled(em(), enrollmentId), before)
    })

    it('and end at an email that ends it', async () => {
      const { enrollmentId, first, second } = await behindBoth({ onSendFailure: 'STOP' })
      await sql(em(), `update messages set status = 'FAILED' where step_id = $1::uuid`, [second])
      assert.equal((await lastSettled(em(), enrollmentId))?.stepId, first)
    })
  })

  it('has a long wait at the beginning end when it was to', async () => {
    const automationId = await anAutomation(service, { steps: [wait(60), EMAIL] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const wakeAt = await waits(automationId, contactId)
    await sql(
      em(),
      `update enrollments set enrolled_at = enrolled_at - interval '50 minutes' where contact_id = $1::uuid`,
      [contactId],
    )
    await service.context.temporal.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `enrollment:${automationId}:${contactId}` },
    })
    const [row] = await rowsOf(contactId)
    const settled = () => settleActive(service.context.dependencies, { id: row!.id, automationId, contactId })
    await eventually('it is gone', () =>
      enrolledIn(automationId, contactId).then(
        () => undefined,
        () => true,
      ),
    )
    assert.equal(await settled(), true)
    assert.ok(Math.abs((await waits(automationId, contactId)) - (wakeAt - 50 * 60_000)) < 5_000)
  })

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
