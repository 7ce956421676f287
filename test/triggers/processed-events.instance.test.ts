import assert from 'node:assert/strict'
import { Client } from 'pg'
import { storeEvent } from '../../src/events/store-events.ts'
import { deleteOldTriggerEvents, lostEvents } from '../../src/triggers/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { deliver } from '../../src/relay/deliver.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { aContact, activityOf, aList, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'

describe('events that an enrollment has processed', () => {
  let service: Instance
  before(async () => {
    service = await startInstance({ worker: false })
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
    const event = await storeEvent(em(), {
      ...ids,
      key: name,
      name,
      data: undefined,
      source: 'API',
      requestId: null,
    })
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
    const trigger = { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'beside' } }
    const automationId = await anAutomation(service, { ...trigger, steps: [wait(60), EMAIL] })
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
    assert.equal((await service.call('POST', `contacts/${contactId}/tags`, { tags: ['beside'] })).status, 200)
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

  it('are kept for as long as the workspace keeps its history, and those of other types for 30 days', async () => {
    const listId = await aList(service)
    await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId }, steps: [EMAIL] })
    const contactId = await aContact(service, { listId })
    await service.startWorker()
    await mailed(contactId, 1)
    await sql(em(), 'update workspaces set event_retention_days = 100 where id = $1::uuid', [service.workspaceId])
    await anEvent(service, contactId, 'history')
    const keptAfter = async (days: number) => {
      await sql(
        em(),
        `update trigger_events set created_at = now() - make_interval(days => $2, mins => 1) where contact_id = $1::uuid`,
        [contactId, days],
      )
      await deleteOldTriggerEvents(em(), 1_000)
      const rows = await sql<{ type: string }>(
        em(),
        'select type from trigger_events where contact_id = $1::uuid order by type',
        [contactId],
      )
      return rows.map(({ type }) => type)
    }
    assert.deepEqual(await keptAfter(29), ['EVENT', 'LIST_ADDED'])
    assert.deepEqual(await keptAfter(30), ['EVENT'])
    assert.deepEqual(await keptAfter(99), ['EVENT'])
    assert.deepEqual(await keptAfter(100), [])
  })

  it('are deleted in batches', async () => {
    const contactId = await aContact(service)
    for (let n = 0; n < 3; n += 1) await anEvent(service, contactId, 'many')
    await sql(em(), `update trigger_events set created_at = now() - interval '10 years' where contact_id = $1::uuid`, [
      contactId,
    ])
    assert.deepEqual([await deleteOldTriggerEvents(em(), 2), await deleteOldTriggerEvents(em(), 2)], [2, 1])
  })

  it('are looked for only among recent events for which an automation listened', async () => {
    const contactId = await aContact(service)
    const automationId = await on('sought')
    await written(contactId, 'nobody listens')
    await sql(em(), 'delete from outbox')
    for (const days of [31, 29, 0]) {
      await written(contactId, 'sought')
      await sql(em(), 'delete from outbox')
      await sql(
        em(),
        `update trigger_events set created_at = now() - make_interval(days => $2) where name = 'sought'
           and created_at > now() - interval '1 hour' and contact_id = $1::uuid`,
        [contactId, days],
      )
    }
    const found = await lostEvents(em(), { afterId: null, limit: 100, atLeastMinutes: 0 })
    assert.deepEqual(
      found.lost
        .filter((lost) => lost.contactId === contactId)
        .map((lost) => [lost.automationId, Math.round((Date.now() - lost.createdAt.getTime()) / 86_400_000)]),
      [
        [automationId, 29],
        [automationId, 0],
      ],
    )
    const plan = await sql<{ 'QUERY PLAN': string }>(
      em(),
      `explain select id from trigger_events where automation_ids <> '{}' order by created_at, id limit 10`,
    )
    assert.match(JSON.stringify(plan), /trigger_events_delivered/)
  })

  it('are kept until a worker has started the enrollment, but not forever', async () => {
    const contactId = await aContact(service)
    const automationId = await on('waiting')
    await sql(em(), 'update workspaces set event_retention_days = 30 where id = $1::uuid', [service.workspaceId])
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
