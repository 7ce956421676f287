import assert from 'node:assert/strict'
import { Client } from 'pg'
import { deleteOldTriggerEvents, insertCustomEvent } from '../../src/triggers/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { deliver } from '../../src/enrollments/deliver.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('events that an enrollment has processed', () => {
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
  /** Records an event without delivering it. */
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

  it('are not lost if the enrollment is cancelled while its end is being recorded', async () => {
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
    await eventually('its end is being recorded, without processed events', async () => {
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

  it('are deleted with the recorded event, and start nothing afterwards', async () => {
    const contactId = await aContact(service)
    const automationId = await on('old')
    const old = await written(contactId, 'old')
    await sql(em(), 'delete from trigger_events where contact_id = $1::uuid', [contactId])
    await deliver(service.context.dependencies, old)
    await service.startWorker()
    await ended(automationId, contactId)
    assert.equal((await activityOf(service, contactId)).length, 0)
  })

  it('are kept until a worker has started the enrollment, but not forever', async () => {
    const contactId = await aContact(service)
    const automationId = await on('waiting')
    const age = (days: number) =>
      sql(
        em(),
        `update trigger_events set created_at = now() - make_interval(days => $2) where contact_id = $1::uuid`,
        [contactId, days],
      )
    const isKept = async () => {
      await deleteOldTriggerEvents(em(), 1_000)
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
})
