import assert from 'node:assert/strict'
import fc from 'fast-check'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import { readRehearsable } from '../../src/automations/rehearsable.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { leaveByConditions } from '../../src/enrollments/leave-sweep.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { readContacts } from '../../src/rehearsal/facts-queries.ts'
import { rehearseContact } from '../../src/rehearsal/rehearse-contact.ts'
import { prepare, type Setting } from '../../src/rehearsal/rehearsed-automation.ts'
import type { TimelineEntry } from '../../src/rehearsal/timeline.ts'
import type { ResolvedCondition } from '../../src/segments/condition.ts'
import { aCase, type Case, inOrder, numbered } from '../steps/random-automations.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'

/** `REHEARSAL_CASES=500` runs more cases, and `REHEARSAL_SEED` those of a failed run. */
const CASES = Number(process.env['REHEARSAL_CASES'] ?? 15)
const SEED = process.env['REHEARSAL_SEED']
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const FIVE_YEARS_MS = 5 * 365 * DAY_MS
/** A webhook that fails is repeated after a minute, and the machine of the test takes its time. */
const TOLERANCE_MS = 5 * 60_000

/** Beside what the case has, an event every 17 hours. */
const EVENT_EVERY_MS = 17 * 3_600_000

describe('a rehearsal, compared with what happens', () => {
  let world: TimeSkipping
  let server: Awaited<ReturnType<typeof startWebhookServer>>
  // Each case may skip five years.
  useTimeSkipping((opened) => (world = opened), { clock: 'own' })
  before(async () => {
    server = await startWebhookServer()
    server.receiver.answer = ({ url, headers }) => {
      const attempts = server.requests.filter((each) => each.headers['webhook-id'] === headers['webhook-id']).length
      return url.includes('fails') && attempts === 1 ? 503 : { plan: 'pro' }
    }
  })
  after(() => server.stop())

  it(`predicts the emails, their times and the end in ${CASES} cases`, async function () {
    this.timeout(CASES * 60_000)
    const compared = { emails: 0, ends: new Set<string>() }
    const property = fc.asyncProperty(aCase, async (drawn) => {
      const { emails, end } = await compare(drawn)
      compared.emails += emails
      compared.ends.add(end)
    })
    const options = SEED === undefined ? { endOnFailure: true } : { seed: Number(SEED), endOnFailure: true }
    await world.whileWorking(() => fc.assert(property, { numRuns: CASES, ...options }), 0)
    assert.ok(compared.emails >= CASES / 2 && compared.ends.size > 1, JSON.stringify(compared.emails))
  })

  async function compare({ steps: drawn, goal, exitOn, metadata, due, startData, happenings }: Case) {
    const { workspaceId, dependencies, orm } = world
    const em = () => orm.em.fork()
    world.mails.length = 0
    server.requests.length = 0
    const now = await world.env.currentTimeMs()
    const steps = numbered(drawn, now, server.url)
    const dueAt = {
      ahead: new Date(now + FIVE_YEARS_MS).toISOString(),
      past: '2020-01-01',
      soon: 'soon',
      missing: null,
    }
    const contactId = await world.contact({ ...metadata, ...(dueAt[due] !== null && { due: dueAt[due] }) })
    const trigger = `go-${newId()}`
    const automationId = await world.automation(steps, { triggerConfig: { eventName: trigger }, goal, exitOn })
    const events = happenings.flatMap((each, n) =>
      each.kind === 'event' ? [{ name: each.name, data: each.data, at: now + (n + 1) * EVENT_EVERY_MS }] : [],
    )
    const rehearsable = await readRehearsable(em(), workspaceId, automationId)
    const [state] = await readContacts(em(), workspaceId, [contactId], { eventNames: [], messages: true })
    const setting: Setting = {
      resolve: (condition) => condition as ResolvedCondition,
      openLists: new Set(),
      timezone: 'UTC',
      sentAs: 'SENT',
      until: now + 2 * FIVE_YEARS_MS,
      responses: { hook: { plan: 'pro' } },
    }
    const entrant = {
      state: state!,
      at: now,
      event: { name: trigger, data: startData, at: now },
      lastEntry: null,
      events,
    }
    const { timeline } = rehearseContact(prepare({ ...rehearsable, listIds: [] }), entrant, setting)
    const subjects = new Map(inOrder(steps).map((step, n) => [rehearsable.steps[n]!.id, subjectOf(step)]))
    const expected = timeline.flatMap((entry) =>
      entry.type === 'EMAIL' ? [{ subject: subjects.get(entry.stepId), at: entry.at }] : [],
    )

    const handle = world.handle(automationId, contactId)
    const statusOf = async () =>
      (
        await sql<{ status: string }>(em(), 'select status from enrollments where automation_id = $1', [automationId])
      )[0]?.status
    /** Waits until the enrollment waits, or has ended. @returns the end of its wait */
    const settled = () =>
      eventually('the enrollment waits', async () => {
        if (((await statusOf()) ?? 'ACTIVE') !== 'ACTIVE') return Infinity
        const { wakeAt } = await handle.query(stateQuery)
        return wakeAt !== null && wakeAt > (await world.env.currentTimeMs()) ? wakeAt : undefined
      })
    /** Skips to a time, one wait after the other. */
    const skipTo = async (time: number) => {
      for (let wakeAt = await settled(); wakeAt <= time; wakeAt = await settled()) {
        const rest = wakeAt - (await world.env.currentTimeMs())
        // A worker looks for contacts who reach a goal at least every minute.
        if (rest > MINUTE_MS) await leaveByConditions({ em: em() })
        if ((await statusOf()) === 'ACTIVE') await world.env.sleep(Math.max(0, rest) + 1)
      }
    }
    const fire = (name: string, data: unknown) =>
      fireEvent(dependencies, workspaceId, contactId, { name, data }, newCall())
    try {
      await fire(trigger, startData)
      for (const { name, data, at } of events) {
        await skipTo(at)
        if ((await statusOf()) === 'ACTIVE') await world.env.sleep(Math.max(0, at - (await world.env.currentTimeMs())))
        if ((await statusOf()) !== 'ACTIVE') break
        await fire(name, data)
        await settled()
      }
      if ((await statusOf()) === 'ACTIVE') await skipTo(Number.MAX_SAFE_INTEGER)
      await handle.result()
      const end = await statusOf()
      const branches = await sql<{ stepId: string; branch: string }>(
        em(),
        `select step_id as "stepId", result ->> 'branch' as branch from step_runs
         where automation_id = $1 and result ? 'branch'`,
        [automationId],
      )
      assert.deepEqual(
        { end, sent: world.subjects(), branches: inIdOrder(branches) },
        {
          end: endOf(timeline),
          sent: expected.map((each) => each.subject),
          branches: inIdOrder(timeline.flatMap((entry) => (entry.type === 'BRANCH' ? [entry] : []))),
        },
      )
      for (const [n, { virtualTime }] of world.mails.entries())
        assert.ok(
          Math.abs(virtualTime - expected[n]!.at) < TOLERANCE_MS,
          `email ${n}: ${virtualTime - expected[n]!.at} ms`,
        )
      return { emails: expected.length, end: end! }
    } finally {
      await dependencies.enrollments.cancel({ automationId, contactId, concurrencyKey: '' })
    }
  }
})

const inIdOrder = (branches: readonly { stepId: string; branch: string }[]) =>
  branches.map(({ stepId, branch }) => `${stepId} ${branch}`).toSorted()

const subjectOf = (step: StepInput): string | undefined => (step.type === 'EMAIL' ? step.subject : undefined)

const endOf = (timeline: readonly TimelineEntry[]): string => {
  const last = timeline.at(-1)!
  return last.type === 'ENDED' ? last.status : last.type
}
