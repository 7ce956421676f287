import assert from 'node:assert/strict'
import { storeEvent } from '../../src/events/store-events.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { deliver } from '../../src/relay/deliver.ts'
import { activityOf, aContact, anAutomation, EMAIL, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('a custom event', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const fire = (contactId: string, name: string, data?: object) =>
    service.call('POST', `contacts/${contactId}/events`, { name, data })
  const on = (eventName: string, fields: object = {}) =>
    anAutomation(service, { triggerConfig: { eventName }, ...fields })
  /** Stores an event without delivering it. */
  const store = (contactId: string, name: string) =>
    storeEvent(service.context.orm.em.fork(), {
      ...{ id: newId(), workspaceId: service.workspaceId, contactId, key: name, name },
      ...{ data: undefined, source: 'API', requestId: null },
    })
  const mails = (contactId: string, count: number) =>
    eventually(`${count} mails`, async () => {
      const items = await activityOf(service, contactId)
      return items.filter(({ status }) => status === 'SENT').length === count ? items : undefined
    })
  const enrollments = (contactId: string) =>
    sql<{ id: string }>(service.context.orm.em.fork(), 'select id from enrollments where contact_id = $1::uuid', [
      contactId,
    ])

  it('starts every active automation with its name, ignoring case', async () => {
    const contactId = await aContact(service)
    const listening = [
      await on('Purchase', { name: 'Receipts' }),
      await on('PURCHASE', { name: 'Receipts' }),
    ].toSorted()
    const paused = await on('purchase', { name: 'Old receipts', status: 'PAUSED' })
    await on('other')
    const { status, body } = await fire(contactId, 'pUrChAsE', { amount: 5 })
    assert.equal(status, 202)
    const { firedAt, ...data } = body.data as { firedAt: string }
    assert.deepEqual(data, {
      ...{ contactId, eventName: 'pUrChAsE', matchingAutomations: 2 },
      started: listening.map((automationId) => ({ automationId, name: 'Receipts' })),
      ...{ continued: [], ended: [], alreadyEnrolled: [] },
      refused: [{ automationId: paused, name: 'Old receipts', rule: 'PAUSED' }],
    })
    assert.ok(Math.abs(Date.now() - new Date(firedAt).getTime()) < 60_000)
    await mails(contactId, 2)
  })

  it('counts the automations that it starts apart from those in which the contact is already', async () => {
    const contactId = await aContact(service)
    await on('counted', { steps: [wait(60), EMAIL] })
    const again = { 'Idempotency-Key': newId() }
    const counts = async (headers = {}) => {
      const { body } = await service.call('POST', `contacts/${contactId}/events`, { name: 'counted' }, { headers })
      const { matchingAutomations, started, alreadyEnrolled, refused } = body.data
      return [matchingAutomations, started.length, alreadyEnrolled.length, refused.length] as number[]
    }
    assert.deepEqual(await counts(again), [1, 1, 0, 0])
    await eventually('the contact is enrolled', async () => (await enrollments(contactId)).length === 1 || undefined)
    await on('counted', { steps: [wait(60), EMAIL] })
    assert.deepEqual(await counts(), [2, 1, 1, 0])
    assert.deepEqual(await counts(again), [1, 1, 0, 0])
  })

  it('keeps its counts if it is stored again', async () => {
    const contactId = await aContact(service)
    await on('stored again', { steps: [wait(60), EMAIL] })
    const call = newCall()
    const fireAgain = () =>
      fireEvent(service.context.dependencies, service.workspaceId, contactId, { name: 'stored again' }, call)
    const first = await fireAgain()
    await eventually('the contact is enrolled', async () => (await enrollments(contactId)).length === 1 || undefined)
    assert.deepEqual(await fireAgain(), first)
    assert.equal(first?.effects.started.length, 1)
  })

  it('returns 0 if no automation has it as its trigger', async () => {
    const { status, body } = await fire(await aContact(service), 'nobody listens')
    assert.deepEqual([status, body.data.matchingAutomations], [202, 0])
  })

  it('does not enroll a contact who is already enrolled', async () => {
    const contactId = await aContact(service)
    await on('again', { steps: [EMAIL, wait(60)] })
    for (let n = 0; n < 5; n += 1) await fire(contactId, 'again')
    await mails(contactId, 1)
    assert.equal((await enrollments(contactId)).length, 1)
  })

  it('enrolls a contact again immediately after an enrollment has completed', async () => {
    const contactId = await aContact(service)
    await on('fast')
    for (const round of [1, 2, 3, 4, 5]) {
      await fire(contactId, 'fast')
      // The enrollment has ended in the database, and the workflow is about to close.
      await eventually('the enrollment has ended', async () => {
        const rows = await sql(
          service.context.orm.em.fork(),
          `select 1 from enrollments where contact_id = $1::uuid and status = 'COMPLETED'`,
          [contactId],
        )
        return rows.length === round ? true : undefined
      })
    }
    await mails(contactId, 5)
  })

  it('is delivered by the relay if it was committed but not delivered', async () => {
    const contactId = await aContact(service)
    await on('crash')
    // The state that an API process leaves when it dies between its commit and its delivery.
    const event = await store(contactId, 'crash')
    assert.equal(event?.effects.started.length, 1)
    await mails(contactId, 1)
  })

  it('starts an automation once if it is delivered twice, even after the first enrollment has ended', async () => {
    const contactId = await aContact(service)
    const automationId = await on('twice')
    const event = await store(contactId, 'twice')
    await deliver(service.context.dependencies, event!.deliveries)
    const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
    assert.deepEqual(await handle.result(), { status: 'COMPLETED' })
    await deliver(service.context.dependencies, event!.deliveries)
    assert.deepEqual(await service.context.temporal.workflow.getHandle(handle.workflowId).result(), {
      status: 'NOT_ENROLLED',
    })
    assert.equal((await activityOf(service, contactId)).length, 1)
    assert.equal((await enrollments(contactId)).length, 1)
  })

  it('starts the sign-up automations once for single and bulk sign-ups', async () => {
    const own = await openWorkspace()
    const automationId = await anAutomation(own, { trigger: 'SIGNUP' })
    await aContact(own, { email: 'single@example.com' })
    await aContact(own, { email: 'single@example.com' })
    await own.call('POST', 'contacts/bulk', {
      contacts: Array.from({ length: 10 }, (_, n) => ({ email: `bulk-${n}@example.com` })),
    })
    await eventually('11 completed', async () => {
      const { body } = await own.call('GET', 'automations')
      const [found] = body.data as { id: string; enrolledCount: number; completedCount: number }[]
      assert.equal(found?.id, automationId)
      return found?.completedCount === 11 && found.enrolledCount === 11 ? true : undefined
    })
  })
})
