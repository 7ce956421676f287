import assert from 'node:assert/strict'
import type { AutomationInput } from '../../src/automations/automations.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'

const DAY_MS = 24 * 60 * 60_000
const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })

describe('a step with unusual input', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

  const fire = async (contactId: string, name: string, data?: unknown) =>
    (await fireEvent(world.dependencies, world.workspaceId, contactId, { name, data }, newCall()))!
  const statusesOf = async (automationId: string) =>
    (
      await sql<{ status: string }>(
        world.orm.em.fork(),
        'select status from enrollments where automation_id = $1 order by enrolled_at, id',
        [automationId],
      )
    ).map(({ status }) => status)

  async function run(steps: StepInput[], metadata: Record<string, unknown>, rules: Partial<AutomationInput> = {}) {
    const automationId = await world.automation(steps, rules)
    const contactId = await world.contact(metadata)
    return world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      return (await world.handle(automationId, contactId).result()) as { status: string }
    })
  }

  const untilDue: StepInput = { type: 'WAIT_UNTIL', until: { field: 'contact.metadata.due' }, ifPast: 'exit' }
  it('counts a date that is missing, or that is none, as past', async () => {
    const deviations: unknown[] = []
    for (const due of ['soon', '', '2027-02-29', 20270101, true, null, ['2099-01-01'], undefined]) {
      const { status } = await run([untilDue, email('1')], due === undefined ? {} : { due })
      if (status !== 'EXITED' || world.mails.length > 0) deviations.push({ due, status, sent: world.subjects() })
    }
    assert.deepEqual(deviations, [])
  })

  it('waits until 29 February', async () => {
    let year = new Date(await world.env.currentTimeMs()).getUTCFullYear() + 1
    while (new Date(Date.UTC(year, 1, 29)).getUTCMonth() !== 1) year += 1
    const due = `${year}-02-29`
    await run([untilDue, email('1')], { due, timezone: 'Etc/UTC' })
    assert.equal(new Date(world.mails[0]!.virtualTime).toISOString().slice(0, 10), due)
  })

  it("reads a date as midnight in the contact's time zone", async () => {
    for (const [timezone, hours] of [
      ['Asia/Tokyo', -9],
      ['America/Phoenix', 7],
    ] as const) {
      world.mails.length = 0
      const due = new Date((await world.env.currentTimeMs()) + 2 * DAY_MS).toISOString().slice(0, 10)
      await run([untilDue, email('1')], { due, timezone })
      const at = world.mails[0]!.virtualTime - Date.parse(due) - hours * 60 * 60_000
      assert.ok(at >= 0 && at < 60_000, `${timezone}: ${at} ms after midnight`)
    }
  })

  it("uses the workspace's time zone if the contact's does not exist", async () => {
    await sql(world.orm.em.fork(), `update workspaces set timezone = 'America/Phoenix' where id = $1`, [
      world.workspaceId,
    ])
    for (const timezone of ['Mars/Olympus', 'IST', 7, null]) {
      world.mails.length = 0
      const due = new Date((await world.env.currentTimeMs()) + 2 * DAY_MS).toISOString().slice(0, 10)
      await run([untilDue, email('1')], { due, timezone })
      const at = world.mails[0]!.virtualTime - Date.parse(due) - 7 * 60 * 60_000
      assert.ok(at >= 0 && at < 60_000, `${JSON.stringify(timezone)}: ${at} ms after midnight`)
    }
    await sql(world.orm.em.fork(), `update workspaces set timezone = 'UTC' where id = $1`, [world.workspaceId])
  })

  it('takes no branch for a field that is missing, null or of another type', async () => {
    const branchIf = (condition: Record<string, unknown>): StepInput => ({
      type: 'CONDITION',
      branches: [{ name: 'matches', if: condition, steps: [email('matches')] }],
      else: [email('else')],
    })
    const steps = [
      branchIf({ metadata: 'age', is: 'more', value: 18 }),
      branchIf({ metadata: 'age', is: 'equal', value: '20' }),
      branchIf({ metadata: 'age', is: 'before', value: '2099-01-01T00:00:00Z' }),
    ]
    for (const metadata of [
      {},
      { age: null },
      { age: { years: 20 } },
      { age: [] },
      { age: [null, true, ['20']] },
      { age: true },
    ]) {
      world.mails.length = 0
      await run(steps, metadata)
      assert.deepEqual(world.subjects(), ['else', 'else', 'else'], JSON.stringify(metadata))
    }
  })

  it('starts no enrollment if the concurrency key is missing, empty, too long or no single value', async () => {
    const trigger = `ordered-${newId()}`
    const automationId = await world.automation([email('{{ event.data.orderId }}')], {
      triggerConfig: { eventName: trigger },
      entry: { concurrency: { key: 'event.data.orderId' } },
    })
    const contactId = await world.contact()
    const unusable = [{}, { orderId: null }, { orderId: '' }, { orderId: 'x'.repeat(10 * 1024) }, { orderId: ['A-1'] }]
    for (const data of [...unusable, undefined]) {
      const { effects } = await fire(contactId, trigger, data)
      assert.partialDeepStrictEqual(effects, { started: [], refused: [{ automationId, rule: 'KEY' }] })
    }
    assert.deepEqual(await statusesOf(automationId), [])
    const rules = await sql<{ rule: string }>(
      world.orm.em.fork(),
      'select rule from refused_entries where automation_id = $1',
      [automationId],
    )
    assert.deepEqual(
      rules.map(({ rule }) => rule),
      Array.from({ length: 6 }, () => 'KEY'),
    )
  })

  it('reaches the goal if an event is the goal and an exit', async () => {
    const steps: StepInput[] = [{ type: 'WAIT', delayMinutes: 60 }, email('1')]
    const leaving = { eventName: 'paid' }
    const automationId = await world.automation(steps, { exitOn: [leaving], goal: leaving })
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await fire(contactId, 'paid')
      await world.handle(automationId, contactId).result()
    })
    assert.deepEqual([await statusesOf(automationId), world.subjects()], [['GOAL_REACHED'], []])
  })

  it('reaches the goals of several automations by one event', async () => {
    const steps: StepInput[] = [{ type: 'WAIT', delayMinutes: 60 }, email('1')]
    const goal = { eventName: 'paid' }
    const automationIds = [await world.automation(steps, { goal }), await world.automation(steps, { goal })]
    const contactId = await world.contact()
    await world.whileWorking(async () => {
      for (const id of automationIds) await world.enroll(id, contactId)
      await fire(contactId, 'paid')
      for (const id of automationIds) await world.handle(id, contactId).result()
    })
    for (const id of automationIds) assert.deepEqual(await statusesOf(id), ['GOAL_REACHED'])
    assert.deepEqual(world.subjects(), [])
  })

  it('sends an email that the mail server has when an exit event arrives, and none after it', async () => {
    const steps: StepInput[] = [email('1'), { type: 'WAIT', delayMinutes: 60 }, email('2')]
    const automationId = await world.automation(steps, { exitOn: [{ eventName: 'paid' }] })
    const contactId = await world.contact()
    // The mail server accepts the email after this.
    const arrival = Promise.withResolvers<void>()
    world.mails.push = (...mails) => {
      arrival.resolve()
      return Array.prototype.push.apply(world.mails, mails)
    }
    await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      await arrival.promise
      await fire(contactId, 'paid')
      await world.handle(automationId, contactId).result()
    })
    assert.deepEqual(await statusesOf(automationId), ['EXITED'])
    const messages = await sql<{ status: string }>(
      world.orm.em.fork(),
      'select status from messages where contact_id = $1',
      [contactId],
    )
    assert.deepEqual([messages, world.subjects()], [[{ status: 'SENT' }], ['1']])
  })
})
