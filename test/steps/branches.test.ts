import assert from 'node:assert/strict'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { applyChange } from '../../src/contacts/apply-change.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { chooseBranch } from '../../src/steps/choose-branch.ts'
import { readStepContext } from '../../src/steps/queries.ts'
import type { RunDependencies } from '../../src/steps/runner.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'

const email = (subject: string): StepInput => ({ type: 'EMAIL', subject, text: 'Hi' })
const wait = (delayMinutes: number): StepInput => ({ type: 'WAIT', delayMinutes })
const ifPlan = (plan: string, steps: StepInput[], otherwise: StepInput[] = []): StepInput => ({
  type: 'CONDITION',
  branches: [{ name: plan, if: { metadata: 'plan', is: 'equal', value: plan }, steps }],
  else: otherwise,
})

describe('an automation with branches', () => {
  let world: TimeSkipping
  useTimeSkipping((opened) => (world = opened))

  /** Runs an automation for a contact with some metadata. @returns the result and the subjects of the emails */
  async function run(steps: StepInput[], metadata: Record<string, unknown> = {}) {
    const automationId = await world.automation(steps)
    const contactId = await world.contact(metadata)
    const start = await world.env.currentTimeMs()
    const result = await world.whileWorking(async () => {
      await world.enroll(automationId, contactId)
      return (await world.handle(automationId, contactId).result()) as { status: string }
    })
    return { automationId, contactId, status: result.status, start, sent: world.subjects() }
  }

  it('takes the first branch whose condition is true, and continues after the branches', async () => {
    const steps = [email('1'), ifPlan('pro', [email('pro')], [email('free')]), wait(60), email('last')]
    assert.deepEqual((await run(steps, { plan: 'pro' })).sent, ['1', 'pro', 'last'])
    world.mails.length = 0
    assert.deepEqual((await run(steps, { plan: 'other' })).sent, ['1', 'free', 'last'])
  })

  it('keeps the branch that was recorded first if an activity is repeated while it runs', async () => {
    await world.stopWorker()
    const { orm, workspaceId, dependencies } = world
    const automationId = await world.automation([ifPlan('pro', [email('pro')], [email('free')])])
    const contactId = await world.contact()
    await world.enroll(automationId, contactId)
    const [row] = await sql<{ id: string; step_id: string }>(
      orm.em.fork(),
      `select enrollments.id, steps -> 0 ->> 'id' as step_id from enrollments
       join automation_versions using (automation_id, version) where contact_id = $1`,
      [contactId],
    )
    // Both attempts have read that the step has no result.
    const context = await readStepContext(orm.em.fork(), row!.id, row!.step_id)
    const time = { now: new Date(), clock: new Date() }
    const attempt = () =>
      chooseBranch({ em: orm.em } as RunDependencies, context as Parameters<typeof chooseBranch>[1], time)
    const first = await attempt()
    await orm.em
      .fork()
      .transactional((unit) =>
        applyChange(unit, { workspaceId, contactId, depth: 0 }, { set: { metadata: { plan: 'pro' } } }),
      )
    assert.deepEqual(await attempt(), first)
    assert.deepEqual(first, { next: 'continue', branch: 'else' })
    await dependencies.enrollments.cancel({ automationId, contactId, concurrencyKey: '' })
  })

  it('ends at an EXIT inside a nested branch', async () => {
    const steps = [ifPlan('pro', [ifPlan('pro', [email('in'), { type: 'EXIT' }])]), email('after')]
    const { sent, status } = await run(steps, { plan: 'pro' })
    assert.deepEqual(sent, ['in'])
    assert.equal(status, 'EXITED')
  })

  it('gives a contact the same branch of a SPLIT in each enrollment', async () => {
    const automationId = await world.automation([
      {
        type: 'SPLIT',
        branches: [
          { name: 'A', weight: 50, steps: [email('A')] },
          { name: 'B', weight: 50, steps: [email('B')] },
        ],
      },
    ])
    const contacts = [await world.contact(), await world.contact(), await world.contact(), await world.contact()]
    const rounds: unknown[] = []
    await world.whileWorking(async () => {
      for (const contactId of contacts) {
        const seen: unknown[] = []
        for (let round = 0; round < 2; round += 1) {
          world.mails.length = 0
          await world.enroll(automationId, contactId)
          await world.handle(automationId, contactId).result()
          seen.push(...world.subjects())
        }
        rounds.push(seen)
      }
    })
    for (const [first, second] of rounds as string[][]) assert.equal(first, second)
  })

  it('changes the contact once, and records what it did', async () => {
    const steps: StepInput[] = [
      { type: 'UPDATE_CONTACT', set: { metadata: { stage: 'trial' } }, addTags: ['Trial'] },
      ifPlan('x', []),
      { type: 'CONDITION', branches: [{ name: 'tagged', if: { tag: 'trial' }, steps: [email('tagged')] }] },
    ]
    const { sent, contactId } = await run(steps)
    assert.deepEqual(sent, ['tagged'])
    const [contact] = await sql<{ metadata: unknown }>(world.orm.em, 'select metadata from contacts where id = $1', [
      contactId,
    ])
    assert.deepEqual(contact?.metadata, { stage: 'trial' })
    const runs = await sql<{ type: string; detail: unknown }>(
      world.orm.em,
      'select type, detail from step_runs where contact_id = $1 order by started_at',
      [contactId],
    )
    assert.deepEqual(
      runs.map(({ type }) => type),
      ['UPDATE_CONTACT', 'CONDITION', 'CONDITION'],
    )
  })

  it('waits until a date of the contact, less an offset, in their time zone', async () => {
    const steps: StepInput[] = [
      {
        type: 'WAIT_UNTIL',
        until: { field: 'contact.metadata.trialEndsAt', offsetMinutes: -3 * 24 * 60, timeOfDay: '09:00' },
      },
      email('trial'),
    ]
    const days = 24 * 60 * 60_000
    const now = await world.env.currentTimeMs()
    const trialEndsAt = new Date(now + 30 * days).toISOString().slice(0, 10)
    const { sent } = await run(steps, { trialEndsAt, timezone: 'America/New_York' })
    assert.deepEqual(sent, ['trial'])
    const at = new Date(world.mails[0]!.virtualTime)
    const local = new Intl.DateTimeFormat('sv', {
      timeZone: 'America/New_York',
      dateStyle: 'short',
      timeStyle: 'short',
    }).format(at)
    const expected = new Date(Date.parse(trialEndsAt) - 3 * days).toISOString().slice(0, 10)
    assert.equal(local, `${expected} 09:00`)
  })

  it('continues or exits if the date has passed', async () => {
    const until = { field: 'contact.metadata.trialEndsAt' }
    const metadata = { trialEndsAt: '2020-01-01' }
    const passed = await run([{ type: 'WAIT_UNTIL', until }, email('1')], metadata)
    assert.deepEqual([passed.sent, passed.status], [['1'], 'COMPLETED'])
    world.mails.length = 0
    const exited = await run([{ type: 'WAIT_UNTIL', until, ifPast: 'exit' }, email('1')], metadata)
    assert.deepEqual([exited.sent, exited.status], [[], 'EXITED'])
  })

  it('times out a wait for an event', async () => {
    const steps: StepInput[] = [
      {
        type: 'WAIT_FOR_EVENT',
        eventName: 'project.created',
        timeoutMinutes: 3 * 24 * 60,
        received: [email('received')],
        timedOut: [email('timed out')],
      },
    ]
    const { sent, start } = await run(steps)
    assert.deepEqual(sent, ['timed out'])
    const days = (world.mails[0]!.virtualTime - start) / (24 * 60 * 60_000)
    assert.ok(days >= 3 && days < 3.01, `after ${days} days`)
  })
})
