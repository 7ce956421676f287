import assert from 'node:assert/strict'
import { Client } from 'pg'
import { forgetTriggerEvents, insertCustomEvent } from '../../src/triggers/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { deliver } from '../../src/enrollments/deliver.ts'
import { settleActive } from '../../src/enrollments/settle-active.ts'
import { stateQuery } from '../../src/sequences/contract.ts'
import { activePage } from '../../src/enrollments/active-queries.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('what an enrollment hears', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())
  afterEach(() => service.stopWorkers())

  const em = () => service.context.orm.em.fork()
  const handleOf = (automationId: string, contactId: string) =>
    service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
  const on = (eventName: string, fields: object = {}) =>
    anAutomation(service, { trigger: 'EVENT', triggerConfig: { eventName }, ...fields })
  /** Fires an event that nobody delivers yet. */
  const written = async (contactId: string, name: string) => {
    const ids = { id: newId(), workspaceId: service.workspaceId, contactId }
    const event = await insertCustomEvent(em(), { ...ids, key: name, name, data: undefined, requestId: null })
    return event!.deliveries
  }
  const mailed = (contactId: string, count: number) =>
    eventually(`${count} mails`, async () => {
      const items = await activityOf(service, contactId)
      return items.filter(({ status }) => status === 'CAPTURED').length === count ? items : undefined
    })
  const ended = async (automationId: string, contactId: string) => {
    await eventually('the workflow has ended', async () =>
      (await handleOf(automationId, contactId).describe()).status.name === 'RUNNING' ? undefined : true,
    )
  }

  /** An event whose enrollment is over, and that is delivered once more while no worker runs. */
  async function deliveredTwice(name: string) {
    const contactId = await aContact(service)
    const automationId = await on(name)
    await service.startWorker()
    const event = await written(contactId, name)
    await deliver(service.context.dependencies, event)
    await mailed(contactId, 1)
    await ended(automationId, contactId)
    await service.stopWorkers()
    await deliver(service.context.dependencies, event)
    return { contactId, automationId }
  }

  it('is not swallowed by a run that was started by an event delivered twice', async () => {
    const { contactId, automationId } = await deliveredTwice('again')
    const { body } = await anEvent(service, contactId, 'again')
    assert.equal(body.data.matchingAutomations, 1)
    await service.startWorker()
    await mailed(contactId, 2)
    await ended(automationId, contactId)
    assert.equal((await activityOf(service, contactId)).length, 2)
  })

  it('does not keep out a call that comes in such a run', async () => {
    const { contactId, automationId } = await deliveredTwice('call')
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, false)
    await service.startWorker()
    await mailed(contactId, 2)
    await ended(automationId, contactId)
    assert.equal((await activityOf(service, contactId)).length, 2)
  })

  it('starts nothing when it is delivered again after the end', async () => {
    const contactId = await aContact(service)
    const automationId = await on('late')
    const [one, two] = [await written(contactId, 'late'), await written(contactId, 'late')]
    await deliver(service.context.dependencies, one)
    await deliver(service.context.dependencies, two)
    await service.startWorker()
    await mailed(contactId, 1)
    await ended(automationId, contactId)
    // The mark that it was delivered was lost in a crash.
    await deliver(service.context.dependencies, two)
    await ended(automationId, contactId)
    assert.deepEqual(await handleOf(automationId, contactId).result(), { status: 'NOT_ENROLLED' })
    assert.equal((await activityOf(service, contactId)).length, 1)
  })

  it('is not dropped by one that was cancelled, while its end is recorded', async () => {
    const contactId = await aContact(service)
    const automationId = await on('beside', { steps: [wait(60), EMAIL] })
    await service.startWorker()
    await enroll(service, automationId, contactId)
    await eventually('it waits', async () => {
      const { wakeAt } = await handleOf(automationId, contactId).query(stateQuery)
      return wakeAt ?? undefined
    })
    const other = new Client({ connectionString: service.context.config.DATABASE_URL })
    await other.connect()
    await other.query('begin')
    await other.query('select from enrollments where contact_id = $1 for update', [contactId])
    await handleOf(automationId, contactId).cancel()
    await eventually('its end is being recorded, and heard of nothing', async () => {
      const { raw } = await handleOf(automationId, contactId).describe()
      return raw.pendingActivities?.length ? true : undefined
    })
    assert.equal((await anEvent(service, contactId, 'beside')).body.data.matchingAutomations, 1)
    await other.query('commit')
    await other.end()
    const statuses = await eventually('the event has started another', async () => {
      const rows = await sql<{ status: string }>(
        em(),
        'select status from enrollments where contact_id = $1::uuid order by enrolled_at',
        [contactId],
      )
      return rows.length === 2 ? rows.map(({ status }) => status) : undefined
    })
    assert.deepEqual(statuses, ['CANCELLED', 'ACTIVE'])
    assert.equal((await handleOf(automationId, contactId).describe()).status.name, 'RUNNING')
  })

  it('is forgotten with what happened, and starts nothing then', async () => {
    const contactId = await aContact(service)
    const automationId = await on('old')
    const old = await written(contactId, 'old')
    await sql(em(), 'delete from trigger_events where contact_id = $1::uuid', [contactId])
    await deliver(service.context.dependencies, old)
    await service.startWorker()
    await ended(automationId, contactId)
    assert.equal((await activityOf(service, contactId)).length, 0)
  })

  it('is kept until a worker has begun what it started, and not for ever', async () => {
    const contactId = await aContact(service)
    const automationId = await on('waiting')
    const age = (days: number) =>
      sql(
        em(),
        `update trigger_events set created_at = now() - make_interval(days => $2) where contact_id = $1::uuid`,
        [contactId, days],
      )
    const isKept = async () => {
      await forgetTriggerEvents(em(), 1_000)
      return (await sql(em(), 'select from trigger_events where contact_id = $1::uuid', [contactId])).length > 0
    }
    await anEvent(service, contactId, 'waiting')
    await age(31)
    assert.equal(await isKept(), true)
    await service.startWorker()
    await mailed(contactId, 1)
    await ended(automationId, contactId)
    assert.equal(await isKept(), false)
    await service.stopWorkers()
    await anEvent(service, contactId, 'waiting')
    await age(366)
    assert.equal(await isKept(), false)
  })

  it('an enrollment without a workflow goes on where it was, and one that was ended ends', async () => {
    const steps = [EMAIL, wait(60), { ...EMAIL, subject: 'second' }]
    const automationId = await anAutomation(service, { steps })
    const [lost, terminated] = [await aContact(service), await aContact(service)]
    await service.startWorker()
    for (const contactId of [lost, terminated]) await enroll(service, automationId, contactId)
    for (const contactId of [lost, terminated]) await mailed(contactId, 1)
    await handleOf(automationId, terminated).terminate()
    // Temporal comes back from a copy that does not have it.
    await service.context.temporal.workflowService.deleteWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: `enrollment:${automationId}:${lost}` },
    })
    await eventually('it is gone', () =>
      handleOf(automationId, lost)
        .describe()
        .then(
          () => undefined,
          () => true,
        ),
    )
    await sql(em(), `update enrollments set recorded_at = now() - interval '1 hour'`)
    await sql(em(), `update messages set settled_at = now() - interval '2 hours'`)
    for (const enrollment of await activePage(em(), null, 100)) {
      await settleActive(service.context.dependencies, enrollment)
    }
    const items = await mailed(lost, 2)
    assert.deepEqual(items.map(({ subject }) => subject).toSorted(), ['Hello', 'second'])
    assert.equal((await activityOf(service, terminated)).length, 1)
    const [row] = await sql<{ status: string }>(em(), 'select status from enrollments where contact_id = $1::uuid', [
      terminated,
    ])
    assert.equal(row?.status, 'CANCELLED')
  })
})
