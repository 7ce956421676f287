import assert from 'node:assert/strict'
import { sweepTriggers } from '../../src/automations/index.ts'
import { dueStepOf } from '../../src/enrollments/index.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll, wait } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { type Service, serviceAt } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const HOUR = 60
const DAY = 24 * HOUR
const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'Hi' })

/** A sequence of a month. */
const MONTH = [email('1'), wait(DAY), email('2'), wait(7 * DAY), email('3'), wait(22 * DAY), email('4')]

describe('a test workspace', () => {
  let live: Service
  let test: Service
  before(async () => {
    live = await openWorkspace()
  })
  // The clock stays where a test moves it, so each test has its own workspace.
  beforeEach(async () => {
    test = await openWorkspace()
    const key = await test.newKey({ mode: 'test' })
    const { context } = test
    test = serviceAt(context, test.port)
    test.key = key
  })

  const em = () => test.context.orm.em.fork()
  const moveClock = (minutes: number) => test.call('POST', 'workspaces/current/clock', { minutes })
  const skip = (automationId: string, contactId: string, service = test) =>
    service.call('POST', `automations/${automationId}/enrollments/${contactId}/skip`)

  async function enrollmentOf(automationId: string, contactId: string) {
    const { body } = await test.call('GET', `contacts/${contactId}/enrollments`)
    const found = (body.data as { automationId: string; status: string; nextAt: string | null; id: string }[]).find(
      (each) => each.automationId === automationId,
    )
    return found!
  }
  /** Minutes until the next step. */
  const minutesLeft = async (automationId: string, contactId: string) => {
    const { nextAt } = await enrollmentOf(automationId, contactId)
    return Math.round((Date.parse(nextAt!) - Date.now()) / 60_000)
  }
  const untilSent = (contactId: string, subjects: string[]) =>
    eventually(`the emails ${subjects.join(', ')} are captured`, async () => {
      const sent = (await activityOf(test, contactId)).map(({ subject }) => subject).toSorted()
      return sent.length >= subjects.length ? (assert.deepEqual(sent, subjects), true) : undefined
    })
  const untilWaits = (automationId: string, contactId: string, minutes: number) =>
    eventually(`the contact waits ${minutes} minutes`, async () =>
      (await minutesLeft(automationId, contactId)) === minutes ? true : undefined,
    )
  async function start(steps: object[], fields: object = {}) {
    const automationId = await anAutomation(test, { steps, ...fields })
    const contactId = await aContact(test)
    await enroll(test, automationId, contactId)
    return { automationId, contactId }
  }

  it('runs a sequence of a month at once, and counts its emails', async () => {
    const { automationId, contactId } = await start(MONTH)
    await untilSent(contactId, ['1'])
    const { status, body } = await moveClock(31 * DAY)
    assert.equal(status, 200)
    assert.equal(body.data.clockAheadMinutes, 31 * DAY)
    await untilSent(contactId, ['1', '2', '3', '4'])
    await eventually('the enrollment is completed', async () =>
      (await enrollmentOf(automationId, contactId)).status === 'COMPLETED' ? true : undefined,
    )
    await eventually('the report counts them', async () => {
      const report = await test.call('GET', `automations/${automationId}/report`)
      return report.body.data.total.sent === 4 ? true : undefined
    })
  })

  it('ends only the waits that would have ended, and shortens the present one', async () => {
    const { automationId, contactId } = await start(MONTH)
    await untilSent(contactId, ['1'])
    await moveClock(3 * DAY)
    await untilSent(contactId, ['1', '2'])
    // The first wait took one day, and two days of the second one have passed.
    await untilWaits(automationId, contactId, 5 * DAY)
    await moveClock(4 * DAY)
    await untilWaits(automationId, contactId, DAY)
    await moveClock(DAY)
    await untilSent(contactId, ['1', '2', '3'])
    assert.equal((await test.call('GET', 'workspace')).body.data.clockAheadMinutes, 8 * DAY)
  })

  it('waits in full after the clock was moved', async () => {
    await moveClock(30 * DAY)
    const { automationId, contactId } = await start([wait(DAY), EMAIL])
    await untilWaits(automationId, contactId, DAY)
    await moveClock(DAY - HOUR)
    await untilWaits(automationId, contactId, HOUR)
  })

  it('follows moves right after the enrollment, in however many requests', async () => {
    const { contactId } = await start(MONTH)
    for (const days of [2, 6, 23]) await moveClock(days * DAY)
    await untilSent(contactId, ['1', '2', '3', '4'])
  })

  it('reaches dates and local times', async () => {
    const at = new Date(Date.now() + 10 * DAY * 60_000).toISOString()
    const steps = [{ type: 'WAIT_UNTIL', until: { field: 'contact.metadata.renewsAt' } }, email('renewed')]
    const automationId = await anAutomation(test, { steps })
    const contactId = await aContact(test, { metadata: { renewsAt: at } })
    await moveClock(9 * DAY)
    await enroll(test, automationId, contactId)
    await untilWaits(automationId, contactId, DAY)
    await moveClock(DAY)
    await untilSent(contactId, ['renewed'])
  })

  it('starts contacts whose date has come, and those of no other workspace', async () => {
    const day = new Date(Date.now() + 20 * DAY * 60_000).toISOString().slice(0, 10)
    const trigger = { trigger: 'DATE', triggerConfig: { field: 'contact.metadata.birthday', repeat: 'ONCE' } }
    const automationId = await anAutomation(test, { ...trigger, steps: [email('today')] })
    const elsewhere = await anAutomation(live, { ...trigger, steps: [email('today')] })
    const contactId = await aContact(test, { metadata: { birthday: day } })
    await aContact(live, { metadata: { birthday: day } })
    await moveClock(22 * DAY)
    await sweepTriggers({ em: em() })
    await untilSent(contactId, ['today'])
    const others = await sql(em(), 'select from trigger_events where $1::uuid = any(automation_ids)', [elsewhere])
    assert.deepEqual([others.length, (await enrollmentOf(automationId, contactId)).automationId], [0, automationId])
  })

  it('moves contacts into a segment of those created long ago', async () => {
    await aContact(test)
    const condition = { field: 'createdAt', is: 'olderThan', value: '30d' }
    const count = async () =>
      (await test.call('POST', 'segments/count', { condition })).body.data.contactCount as number
    assert.equal(await count(), 0)
    await moveClock(31 * DAY)
    assert.equal(await count(), 1)
  })

  it('skips one wait, and no other', async () => {
    const { automationId, contactId } = await start(MONTH)
    await untilWaits(automationId, contactId, DAY)
    assert.equal((await skip(automationId, contactId)).status, 202)
    await untilSent(contactId, ['1', '2'])
    await untilWaits(automationId, contactId, 7 * DAY)
    // The relay may deliver a skip again after a crash.
    const { id } = await enrollmentOf(automationId, contactId)
    const place = { automationId, contactId, concurrencyKey: '' }
    await test.context.dependencies.enrollments.skip(place, (await dueStepOf(em(), id))!)
    await skip(automationId, contactId)
    await untilSent(contactId, ['1', '2', '3'])
    await untilWaits(automationId, contactId, 22 * DAY)
  })

  it('skips all waits before the next step', async () => {
    const { automationId, contactId } = await start([wait(DAY), wait(2 * DAY), email('after both')])
    await untilWaits(automationId, contactId, 3 * DAY)
    await skip(automationId, contactId)
    await untilSent(contactId, ['after both'])
  })

  const awaitsOrder = {
    type: 'WAIT_FOR_EVENT',
    eventName: 'order.placed',
    timeoutMinutes: 3 * DAY,
    received: [email('received')],
    timedOut: [email('timed out')],
  }

  it('skips the wait before a step that waits itself, and not the step', async () => {
    const { automationId, contactId } = await start([wait(DAY), awaitsOrder])
    await untilWaits(automationId, contactId, DAY)
    await skip(automationId, contactId)
    await untilWaits(automationId, contactId, 3 * DAY)
    await anEvent(test, contactId, 'order.placed')
    await untilSent(contactId, ['received'])
  })

  it('reaches a birthday if it moves by years', async () => {
    const trigger = { trigger: 'DATE', triggerConfig: { field: 'contact.metadata.birthday' } }
    await anAutomation(test, { ...trigger, steps: [email('happy birthday')] })
    const yesterday = new Date(Date.now() - DAY * 60_000).toISOString().slice(5, 10)
    const contactId = await aContact(test, { metadata: { birthday: `1990-${yesterday}` } })
    await moveClock(800 * DAY)
    await sweepTriggers({ em: em() })
    await untilSent(contactId, ['happy birthday'])
  })

  it('does not make up for the time of a pause', async () => {
    const { automationId, contactId } = await start(MONTH)
    await untilWaits(automationId, contactId, DAY)
    await test.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await skip(automationId, contactId)
    await eventually('the enrollment is paused', async () => {
      const { body } = await test.call('GET', `contacts/${contactId}/enrollments`)
      return (body.data as { paused: boolean }[])[0]!.paused || undefined
    })
    await moveClock(30 * DAY)
    await test.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await untilSent(contactId, ['1', '2'])
    await untilWaits(automationId, contactId, 7 * DAY)
  })

  it('ends the wait for an event as timed out', async () => {
    const { automationId, contactId } = await start([awaitsOrder])
    await untilWaits(automationId, contactId, 3 * DAY)
    await skip(automationId, contactId)
    await untilSent(contactId, ['timed out'])
    await anEvent(test, contactId, 'order.placed')
  })

  it('skips nothing for a contact that does not wait, or is not in the automation', async () => {
    const { automationId, contactId } = await start([wait(DAY), EMAIL], { trigger: 'SIGNUP' })
    await untilWaits(automationId, contactId, DAY)
    await test.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await skip(automationId, contactId)
    assert.equal((await skip(automationId, contactId)).refused, '409 not_waiting')
    assert.equal((await skip(automationId, await aContact(test))).refused, '404 not_enrolled')
  })

  it('is the only kind of workspace that skips waits', async () => {
    const automationId = await anAutomation(live, { steps: [wait(DAY), EMAIL] })
    const contactId = await aContact(live)
    await enroll(live, automationId, contactId)
    assert.equal((await skip(automationId, contactId, live)).refused, '409 test_workspace_only')
  })

  it('cannot move its clock back, or by more than twenty years', async () => {
    assert.equal((await moveClock(-1)).refused, '400 invalid_request')
    assert.equal((await moveClock(20 * 366 * DAY)).status, 200)
    const { refused, body } = await moveClock(1)
    assert.equal(refused, '400 invalid_request')
    assert.match(body.error as string, /^minutes must not move the clock more than 10540800 minutes ahead, in all$/)
  })

  it('is the only kind of workspace whose clock moves', async () => {
    const { refused } = await live.call('POST', 'workspaces/current/clock', { minutes: 1 })
    assert.equal(refused, '409 test_workspace_only')
    assert.equal((await live.call('GET', 'workspace')).body.data.clockAheadMinutes, 0)
  })
})
