import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { AutomationInput } from '../../src/automations/automations.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'

const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })
const wait = (delayMinutes: number): StepInput => ({ type: 'WAIT', delayMinutes })
const DAYS = 24 * 60

const forProject: StepInput = {
  type: 'WAIT_FOR_EVENT',
  eventName: 'Project.Created',
  filter: { eventData: 'size', is: 'more', value: 3 },
  timeoutMinutes: 3 * DAYS,
  received: [email('received')],
  timedOut: [email('timed out')],
}

describe('events of contacts in an automation', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

  const fire = async (contactId: string, name: string, data?: unknown) => {
    const fired = await fireEvent(world.dependencies, world.workspaceId, contactId, { name, data }, newCall())
    assert.ok(fired)
    return fired
  }
  const enrollments = (automationId: string) =>
    sql<{ id: string; status: string; concurrency_key: string }>(
      world.orm.em,
      'select id, status, concurrency_key from enrollments where automation_id = $1 order by enrolled_at, id',
      [automationId],
    )
  const statuses = async (automationId: string) => (await enrollments(automationId)).map(({ status }) => status)
  const waitsAt = (type: string, contactId: string) =>
    eventually('the step waits', async () => {
      const rows = await sql(
        world.orm.em,
        'select from step_runs where contact_id = $1 and type = $2 and finished_at is null',
        [contactId, type],
      )
      return rows.length === 1 || undefined
    })
  const hasSent = (subject: string) =>
    eventually('the email was sent', () => world.subjects().includes(subject) || undefined)
  const haveStatuses = (automationId: string, expected: string[]) =>
    eventually(
      'the enrollments have these statuses',
      async () => isDeepStrictEqual(await statuses(automationId), expected) || undefined,
    )
  /** Waits for the end of a contact's workflow, which may skip time. */
  const result = async (automationId: string, contactId: string) =>
    ((await world.handle(automationId, contactId).result()) as { status: string }).status
  const begin = async (steps: StepInput[], rules: Partial<AutomationInput> = {}) => ({
    automationId: await world.automation(steps, rules),
    contactId: await world.contact(),
  })

  it('end a wait for one that matches its filter, and not for one that does not', async () => {
    const { automationId, contactId } = await begin([forProject])
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await waitsAt('WAIT_FOR_EVENT', contactId)
      await fire(contactId, 'project.created', { size: 2 })
      await fire(contactId, 'project.created', { size: 4 })
      assert.equal(await result(automationId, contactId), 'COMPLETED')
    })
    assert.deepEqual(world.subjects(), ['received'])
  })

  it('end a wait, no matter how many others follow before a worker looks', async () => {
    const { automationId, contactId } = await begin([forProject])
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await waitsAt('WAIT_FOR_EVENT', contactId)
      // Without a cache, another worker gets the workflow at once.
    }, 0)
    await world.stopWorker()
    await fire(contactId, 'project.created', { size: 4 })
    for (let n = 0; n < 101; n += 1) await fire(contactId, 'project.created', { size: 1 })
    await world.whileWorking(async () => assert.equal(await result(automationId, contactId), 'COMPLETED'))
    assert.deepEqual(world.subjects(), ['received'])
  })

  it('count if they arrived since the contact entered, before the step', async () => {
    const { automationId, contactId } = await begin([email('1'), wait(DAYS), forProject])
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await hasSent('1')
      await fire(contactId, 'project.created', { size: 4 })
      assert.equal(await result(automationId, contactId), 'COMPLETED')
    })
    assert.deepEqual(world.subjects(), ['1', 'received'])
  })

  it('do not count if they arrived before the contact entered', async () => {
    const { automationId, contactId } = await begin([forProject])
    await fire(contactId, 'project.created', { size: 4 })
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      assert.equal(await result(automationId, contactId), 'COMPLETED')
    })
    assert.deepEqual(world.subjects(), ['timed out'])
  })

  it('end the enrollment during a wait by an exit rule, and the contact gets nothing more', async () => {
    const rules = { exitOn: [{ eventName: 'paid', filter: { eventData: 'plan', is: 'equal', value: 'pro' } }] }
    const { automationId, contactId } = await begin([email('1'), wait(14 * DAYS), email('2')], rules)
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await hasSent('1')
      await fire(contactId, 'paid', { plan: 'free' })
      assert.deepEqual(await statuses(automationId), ['ACTIVE'])
      await fire(contactId, 'PAID', { plan: 'pro' })
      assert.deepEqual(await statuses(automationId), ['EXITED'])
      assert.equal(await result(automationId, contactId), 'EXITED')
    })
    assert.deepEqual(world.subjects(), ['1'])
  })

  it('end the enrollment by its goal, also if they arrive before a worker has started it', async () => {
    await world.stopWorker()
    const { automationId, contactId } = await begin([email('1'), wait(DAYS), email('2')], {
      goal: { eventName: 'paid' },
    })
    await world.enroll(automationId, contactId)
    await fire(contactId, 'paid')
    await world.whileWorking(async () => {
      await world.handle(automationId, contactId).result()
    })
    assert.deepEqual(await statuses(automationId), ['GOAL_REACHED'])
    assert.deepEqual(world.subjects(), [])
  })

  it('start one enrollment for each value of the concurrency key', async () => {
    const steps = [email('{{ event.data.orderId }}'), wait(60), email('later {{ event.data.orderId }}')]
    const rules = {
      triggerConfig: { eventName: 'order.placed' },
      entry: { concurrency: { key: 'event.data.orderId' } },
      exitOn: [],
    } satisfies Partial<AutomationInput>
    const { automationId, contactId } = await begin(steps, rules)
    await world.whileWorking(async () => {
      assert.equal((await fire(contactId, 'order.placed', { orderId: 'A-1' })).effects.started.length, 1)
      assert.equal((await fire(contactId, 'order.placed', { orderId: 'A-2' })).effects.started.length, 1)
      await haveStatuses(automationId, ['ACTIVE', 'ACTIVE'])
      const again = await fire(contactId, 'order.placed', { orderId: 'A-1' })
      assert.partialDeepStrictEqual(again.effects, { started: [], alreadyEnrolled: [{ automationId }] })
      const keyless = await fire(contactId, 'order.placed', { orderId: null })
      assert.partialDeepStrictEqual(keyless.effects, { started: [], refused: [{ automationId, rule: 'KEY' }] })
      for (const { concurrency_key: key } of await enrollments(automationId))
        await world.env.client.workflow.getHandle(`enrollment:${automationId}:${contactId}:${key}`).result()
    })
    assert.deepEqual(world.subjects().toSorted(), ['A-1', 'A-2', 'later A-1', 'later A-2'])
    assert.deepEqual(await statuses(automationId), ['COMPLETED', 'COMPLETED'])
  })

  it('reach only the enrollment with their concurrency key, or all if they have no such field', async () => {
    const steps: StepInput[] = [
      {
        type: 'WAIT_FOR_EVENT',
        eventName: 'order.shipped',
        timeoutMinutes: 3 * DAYS,
        received: [email('shipped {{ event.data.orderId }}'), wait(DAYS)],
        timedOut: [],
      },
    ]
    const { automationId, contactId } = await begin(steps, {
      triggerConfig: { eventName: 'order.opened' },
      entry: { concurrency: { key: 'event.data.orderId' } },
      exitOn: [{ eventName: 'order.cancelled' }],
      goal: { eventName: 'order.paid' },
    })
    const place = (orderId: string) => fire(contactId, 'order.opened', { orderId })
    const waiting = (count: number) =>
      eventually('the steps wait', async () => {
        const rows = await sql(
          world.orm.em,
          `select from step_runs run join enrollments on enrollments.id = enrollment_id and status = 'ACTIVE'
           where run.automation_id = $1 and finished_at is null and until is not null`,
          [automationId],
        )
        return rows.length === count || undefined
      })
    await world.whileWorking(async () => {
      for (const orderId of ['A-1', 'A-2', 'A-3', 'A-4']) await place(orderId)
      await waiting(4)
      // The rule at the time when they entered counts.
      await sql(world.orm.em, `update automations set entry = '{}' where id = $1`, [automationId])
      await fire(contactId, 'order.cancelled', { orderId: 'A-1' })
      await fire(contactId, 'order.cancelled', { orderId: ['A-2'] })
      await fire(contactId, 'order.paid', { orderId: 'A-2' })
      assert.deepEqual(await statuses(automationId), ['EXITED', 'GOAL_REACHED', 'ACTIVE', 'ACTIVE'])
      await fire(contactId, 'order.shipped', { orderId: 'A-3' })
      await hasSent('shipped A-3')
      await waiting(1)
      assert.deepEqual(world.subjects(), ['shipped A-3'])
      await fire(contactId, 'order.cancelled', { reason: 'all' })
      await haveStatuses(automationId, ['EXITED', 'GOAL_REACHED', 'EXITED', 'EXITED'])
    })
  })

  it('reach only the enrollment with their concurrency key, also before a worker has started it', async () => {
    await world.stopWorker()
    const { automationId, contactId } = await begin([wait(DAYS)], {
      triggerConfig: { eventName: 'order.begun' },
      entry: { concurrency: { key: 'event.data.orderId' } },
      exitOn: [{ eventName: 'order.cancelled' }],
    })
    for (const orderId of ['A-1', 'A-2']) await fire(contactId, 'order.begun', { orderId })
    await fire(contactId, 'order.cancelled', { orderId: 'A-1' })
    await world.whileWorking(() => haveStatuses(automationId, ['EXITED', 'ACTIVE']))
  })

  it('start no enrollment if the entry filter or the rule for entering again keeps the contact out', async () => {
    const rules = {
      triggerConfig: { eventName: 'signed' },
      entry: { filter: { eventData: 'plan', is: 'equal', value: 'pro' }, reentry: 'ONCE' },
    } satisfies Partial<AutomationInput>
    const { automationId, contactId } = await begin([email('1')], rules)
    await world.whileWorking(async () => {
      const other = await fire(contactId, 'signed', { plan: 'free' })
      assert.partialDeepStrictEqual(other.effects, { started: [], refused: [{ automationId, rule: 'FILTER' }] })
      assert.equal((await fire(contactId, 'signed', { plan: 'pro' })).effects.started.length, 1)
      await haveStatuses(automationId, ['COMPLETED'])
      const again = await fire(contactId, 'signed', { plan: 'pro' })
      assert.partialDeepStrictEqual(again.effects, { started: [], refused: [{ automationId, rule: 'REENTRY' }] })
    })
    assert.deepEqual(world.subjects(), ['1'])
    const refused = await sql<{ rule: string }>(
      world.orm.em,
      'select rule from refused_entries where automation_id = $1 order by id',
      [automationId],
    )
    assert.deepEqual(
      refused.map(({ rule }) => rule),
      ['FILTER', 'REENTRY'],
    )
  })

  it('start an enrollment each time if the one before has ended', async () => {
    const { automationId, contactId } = await begin([email('reset')], {
      triggerConfig: { eventName: 'password.reset' },
    })
    await world.whileWorking(async () => {
      for (let n = 1; n <= 3; n += 1) {
        await fire(contactId, 'password.reset')
        await haveStatuses(
          automationId,
          Array.from({ length: n }, () => 'COMPLETED'),
        )
      }
    })
    assert.deepEqual(world.subjects(), ['reset', 'reset', 'reset'])
  })
})
