import assert from 'node:assert/strict'
import { endActive } from '../../src/enrollments/queries.ts'
import { recordEnrollment } from '../../src/enrollments/record-enrollment.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import { aContact, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('a custom event', () => {
  // Without a worker, the starts of bulk events are not delivered, as if Temporal were down.
  let service: Service
  let replica: AnotherApi
  before(async () => {
    service = await openWorkspace({ worker: false })
    replica = await startAnotherApi(service, {}, { em: service.context.orm.em.fork() })
  })
  after(() => replica.stop())

  const on = (eventName: string) => anAutomation(service, { triggerConfig: { eventName }, steps: [wait(60), EMAIL] })
  const inBulk = async (name: string, contactId: string) => {
    const { status, body } = await service.call('POST', 'events/bulk', { events: [{ name, contactId }] })
    assert.equal(status, 202, JSON.stringify(body))
  }
  const starts = (contactId: string) =>
    sql(service.context.orm.em.fork(), `select from outbox where kind = 'START' and contact_id = $1::uuid`, [contactId])
  const countsOf = async (contactId: string) => {
    const { body } = await service.call('GET', `contacts/${contactId}/events`)
    const events = body.data as { started: object[]; alreadyEnrolled: object[] }[]
    return events.map(({ started, alreadyEnrolled }) => [started.length, alreadyEnrolled.length])
  }

  it('leaves nothing to deliver for an automation in which the contact is already', async () => {
    const contactId = await aContact(service)
    await enroll(service, await on('inside'), contactId)
    await inBulk('inside', contactId)
    assert.deepEqual(await countsOf(contactId), [[0, 1]])
    assert.equal((await starts(contactId)).length, 0)
  })

  it('finds the contact in an automation that an earlier event will start', async () => {
    const contactId = await aContact(service)
    await on('pending')
    await inBulk('pending', contactId)
    const { body } = await anEvent(service, contactId, 'pending')
    assert.deepEqual([body.data.started.length, body.data.alreadyEnrolled.length], [0, 1])
    assert.equal((await starts(contactId)).length, 1)
  })

  it('finds the contact in an automation that no worker has recorded yet', async () => {
    const contactId = await aContact(service)
    await on('delivered')
    const counts = []
    for (let n = 0; n < 2; n += 1) {
      const { body } = await anEvent(service, contactId, 'delivered')
      counts.push([body.data.started.length, body.data.alreadyEnrolled.length])
    }
    assert.deepEqual(counts, [
      [1, 0],
      [0, 1],
    ])
  })

  it('leaves a decision, and lets the next one in, if a rule keeps the contact out when its start is delivered late', async () => {
    const name = 'late'
    const reentry = { afterMinutes: 5 }
    const automationId = await anAutomation(service, { triggerConfig: { eventName: name }, entry: { reentry } })
    const contactId = await aContact(service)
    await inBulk(name, contactId)
    assert.deepEqual(await countsOf(contactId), [[1, 0]])
    // Before the start is delivered, a request enrolls the contact, and that enrollment ends.
    const em = () => service.context.orm.em.fork()
    const place = { automationId, contactId, concurrencyKey: '' }
    const other = { id: newId(), ...place, dedupKey: null, triggerEventId: null, enrolledAt: new Date() }
    assert.equal(await recordEnrollment(em(), other), 'ACTIVE')
    await endActive(em(), other.id, 'COMPLETED', null)
    const [event] = await sql<{ id: string }>(em(), 'select id from trigger_events where contact_id = $1::uuid', [
      contactId,
    ])
    const late = { ...other, id: newId(), dedupKey: `event:${event!.id}`, triggerEventId: event!.id }
    for (let n = 0; n < 2; n += 1) assert.equal(await recordEnrollment(em(), late), undefined)
    const { body: decisions } = await service.call('GET', `contacts/${contactId}/decisions`)
    assert.deepEqual(
      decisions.data.map(({ rule }: { rule: string | null }) => rule),
      ['REENTRY'],
    )
    const minutesAgo = `now() - interval '10 minutes' where contact_id = $1::uuid`
    await sql(em(), `update enrollments set enrolled_at = ${minutesAgo}`, [contactId])
    await sql(em(), 'delete from outbox where contact_id = $1::uuid', [contactId])
    const { body } = await anEvent(service, contactId, name)
    assert.deepEqual([body.data.started.length, body.data.alreadyEnrolled.length], [1, 0])
  })

  it('starts an automation once if two come at the same time', async () => {
    const contactId = await aContact(service)
    await on('at once')
    const em = service.context.orm.em
    // The first one has decided, and cannot store its start yet.
    const release = await lockWith(em, 'lock table outbox in share row exclusive mode', [])
    // Requests of one API share a transaction, so the second one is of another API.
    const both = Promise.all([anEvent(service, contactId, 'at once'), anEvent(replica, contactId, 'at once')])
    await lockWaits(em, 2)
    await release()
    const counts = (await both).map(({ body }) => `${body.data.started.length} ${body.data.alreadyEnrolled.length}`)
    assert.deepEqual(counts.toSorted(), ['0 1', '1 0'])
  })

  it('starts an automation once if ten come in bulk at the same time', async () => {
    const contactId = await aContact(service)
    await on('at once in bulk')
    await Promise.all(Array.from({ length: 10 }, () => inBulk('at once in bulk', contactId)))
    const counts = await countsOf(contactId)
    assert.deepEqual(counts.map(String).toSorted(), [...Array<string>(9).fill('0,1'), '1,0'])
    assert.equal((await starts(contactId)).length, 1)
  })
})
