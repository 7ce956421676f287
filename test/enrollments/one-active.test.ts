import assert from 'node:assert/strict'
import { Client as Postgres } from 'pg'
import { recordEnrollment } from '../../src/enrollments/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('a contact in an automation', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const em = () => service.context.orm.em.fork()
  const statusesOf = async (contactId: string) => {
    const rows = await sql<{ status: string }>(
      em(),
      'select status from enrollments where contact_id = $1::uuid order by recorded_at, id',
      [contactId],
    )
    return rows.map(({ status }) => status)
  }
  const countRecording = async () => {
    const [row] = await sql<{ count: number }>(
      em(),
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and (query like '%insert into enrollments%' or query like '%insert into automation_counts%')`,
    )
    return row?.count ?? 0
  }

  it('is enrolled once if a request and an event arrive while the previous enrollment ends', async () => {
    const automationId = await anAutomation(service, {
      steps: [EMAIL, wait(60)],
      triggerConfig: { eventName: 'beside an end' },
    })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    await eventually('it waits', async () => (await handle.query(stateQuery)).wakeAt ?? undefined)
    // The enrollment has ended in the database, but not yet in Temporal.
    await sql(
      em(),
      `update enrollments set status = 'COMPLETED', ended_at = now(), wakes_at = null where contact_id = $1::uuid`,
      [contactId],
    )
    const steps = ['A', 'B'].map((subject) => ({ ...EMAIL, subject }))
    await service.call('PUT', `automations/${automationId}/steps`, { steps })

    // Simulates a busy automation: recording an enrollment waits for its counters, after both have checked for an active one.
    const busy = new Postgres({ connectionString: service.context.config.DATABASE_URL })
    await busy.connect()
    await busy.query('begin')
    await busy.query('select from automation_counts where automation_id = $1 for update', [automationId])
    const { enrollments } = service.context.dependencies
    const findRunning = enrollments.findRunning.bind(enrollments)
    let fired: Promise<unknown> | undefined
    enrollments.findRunning = async (...of) => {
      const found = await findRunning(...of)
      fired ??= anEvent(service, contactId, 'beside an end')
      await eventually('the event is being recorded', async () => ((await countRecording()) > 0 ? true : undefined))
      return found
    }
    try {
      const called = enroll(service, automationId, contactId)
      await eventually('both are being recorded', async () => ((await countRecording()) > 1 ? true : undefined))
      await busy.query('commit')
      assert.equal((await called).status, 202)
      await fired
    } finally {
      enrollments.findRunning = findRunning
      await busy.end()
    }
    await eventually('no enrollment is active', async () =>
      (await statusesOf(contactId)).includes('ACTIVE') ? undefined : true,
    )
    await eventually('its workflow is over', async () =>
      (await handle.describe()).status.name === 'RUNNING' ? undefined : true,
    )
    const subjects = (await activityOf(service, contactId)).map(({ subject }) => subject)
    assert.deepEqual(subjects.filter((subject) => subject === 'A').length, 1)
    assert.deepEqual(subjects.filter((subject) => subject === 'B').length, 1)
  })

  it('is not enrolled again by an event that an earlier enrollment processed', async () => {
    const automationId = await anAutomation(service, {
      steps: [EMAIL, wait(60)],
      ...{ trigger: 'TAG_ADDED', triggerConfig: { tagName: 'delivered again' } },
    })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await service.call('POST', `contacts/${contactId}/tags`, { tags: ['delivered again'] })
    await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
    const [event] = await sql<{ id: string }>(em(), 'select id from trigger_events where contact_id = $1::uuid', [
      contactId,
    ])
    const entry = {
      concurrencyKey: '',
      dedupKey: `event:${event!.id}`,
      triggerEventId: event!.id,
      enrolledAt: new Date(),
    }
    assert.equal(await recordEnrollment(em(), { id: newId(), automationId, contactId, ...entry }), undefined)
    assert.deepEqual(await statusesOf(contactId), ['CANCELLED'])
  })

  it('may enter again after an operator has terminated their workflow', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, { steps: [wait(60)] })
    await enroll(service, automationId, contactId)
    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, false)
    await service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`).terminate()

    assert.equal((await enroll(service, automationId, contactId)).body.data.enrolled, true)
    assert.deepEqual(await statusesOf(contactId), ['CANCELLED', 'ACTIVE'])
  })

  it('is counted once, no matter how often the enrollment is recorded', async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    const write = {
      id: newId(),
      automationId,
      contactId,
      concurrencyKey: '',
      dedupKey: null,
      triggerEventId: null,
      enrolledAt: new Date(),
    }
    const all = await Promise.all(Array.from({ length: 20 }, () => recordEnrollment(em(), write)))
    assert.ok(all.every((status) => status === 'ACTIVE'))
    const { body } = await service.call('GET', 'automations')
    assert.equal(body.data.find(({ id }: { id: string }) => id === automationId).enrolledCount, 1)
  })
})
