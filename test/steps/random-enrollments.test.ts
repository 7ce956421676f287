import assert from 'node:assert/strict'
import fc from 'fast-check'
import { updateAutomation } from '../../src/automations/automations.ts'
import type { WaitTarget } from '../../src/automation-engine/index.ts'
import { stateQuery } from '../../src/automation-engine/contract.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import { applyChange } from '../../src/contacts/apply-change.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { Condition } from '../../src/segments/condition.ts'
import { eventually } from '../support/eventually.ts'
import { type TimeSkipping, useTimeSkipping } from '../support/time-skipping.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { evaluate, type ModelContact } from '../segments/evaluate-condition.ts'
import { type DueDate, EnrollmentModel, type Happening, type LeaveRule } from './enrollment-model.ts'

/** `ENROLLMENT_CASES=500` runs more cases, and `ENROLLMENT_SEED` those of a failed run, and looks for the smallest that fails. */
const CASES = Number(process.env['ENROLLMENT_CASES'] ?? 20)
const SEED = process.env['ENROLLMENT_SEED']
const DAY = 24 * 60
/** Stands for the URL of the server, which is not known yet. */
const SERVER = 'http://webhooks.invalid/'
const MAX_WAITS = 100

const plan = fc.constantFrom('free', 'pro', 'gone')
const tag = fc.constantFrom('vip', 'beta')
const size = fc.constantFrom(1, 2)
const eventName = fc.constantFrom('created', 'ordered')
const ofSize = size.map((value) => ({ eventData: 'size', is: 'equal' as const, value }))
const isPlan = plan.map((value) => ({ metadata: 'plan', is: 'equal' as const, value }))

const condition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2 },
    isPlan,
    tag.map((value) => ({ tag: value })),
    ofSize,
    plan.map((value) => ({ stepData: 'hook.plan', is: 'equal' as const, value })),
    fc.record(
      { event: eventName, atLeast: fc.integer({ min: 1, max: 3 }), where: ofSize },
      { requiredKeys: ['event'] },
    ),
    fc.array(tie('condition'), { maxLength: 2 }).map((all) => ({ all })),
    fc.array(tie('condition'), { maxLength: 2 }).map((any) => ({ any })),
    tie('condition').map((not) => ({ not })),
  ),
})).condition

const asJson = condition as unknown as fc.Arbitrary<Record<string, unknown>>

const steps: fc.Arbitrary<StepInput[]> = fc
  .letrec<{ steps: StepInput[]; branch: StepInput[]; step: StepInput }>((tie) => {
    const branch = tie('branch')
    const branches = (count: number) => fc.array(branch, { minLength: 1, maxLength: count, size: 'max' })
    const email = fc.constant<StepInput>({ type: 'EMAIL', subject: '', text: 'Hi' })
    return {
      steps: fc.array(tie('step'), { minLength: 3, maxLength: 6, size: 'max', depthIdentifier: 'steps' }),
      branch: fc.array(tie('step'), { maxLength: 4, size: 'max', depthIdentifier: 'steps' }),
      step: fc.oneof(
        { maxDepth: 3, depthSize: 'max', depthIdentifier: 'steps' },
        { weight: 6, arbitrary: email },
        {
          weight: 2,
          arbitrary: fc
            .integer({ min: 1, max: 3 })
            .map((days): StepInput => ({ type: 'WAIT', delayMinutes: days * DAY })),
        },
        fc.record({
          type: fc.constant('WAIT_UNTIL' as const),
          until: fc.oneof(
            fc.constant<WaitTarget>({ field: 'contact.metadata.due' }),
            fc.constant<WaitTarget>({ at: '2020-02-29T09:00' }),
            fc.constant<WaitTarget>({ timeOfDay: '' }),
            fc.constant<WaitTarget>({ timeOfDay: '', weekdays: ['MON', 'THU'] }),
          ),
          // An exit would often end the enrollment early.
          ifPast: fc.constantFrom('continue' as const, 'continue' as const, 'continue' as const, 'exit' as const),
        }),
        {
          weight: 2,
          arbitrary: fc.record(
            {
              type: fc.constant('UPDATE_CONTACT' as const),
              set: plan.map((value) => ({ metadata: { plan: value } })),
              addTags: fc.uniqueArray(tag, { minLength: 1 }),
            },
            { requiredKeys: ['type', 'set'] },
          ),
        },
        fc.record({ isSaved: fc.boolean(), fails: fc.boolean(), plan }).map(({ isSaved, fails, plan: value }) => ({
          type: 'WEBHOOK' as const,
          url: `${SERVER}?plan=${value}${fails ? '&fails' : ''}`,
          saveAs: isSaved ? 'hook' : null,
        })),
        fc.constant<StepInput>({ type: 'EXIT' }),
        {
          weight: 2,
          arbitrary: fc
            .tuple(branches(2), fc.array(asJson, { minLength: 2, maxLength: 2 }), branch)
            .map(([lists, conditions, otherwise]): StepInput => ({
              type: 'CONDITION',
              branches: lists.map((list, n) => ({ name: `B${n}`, if: conditions[n]!, steps: list })),
              else: otherwise,
            })),
        },
        {
          weight: 2,
          arbitrary: fc
            .tuple(eventName, fc.option(ofSize, { nil: undefined }), branch, branch)
            .map(([name, filter, received, timedOut]): StepInput => ({
              type: 'WAIT_FOR_EVENT',
              eventName: name,
              ...(filter && { filter }),
              timeoutMinutes: 2 * DAY,
              ...{ received, timedOut },
            })),
        },
        // With one weight above 0, the branch does not depend on the contact's ID.
        fc.tuple(branches(3), fc.nat({ max: 2 })).map(([lists, chosen]): StepInput => ({
          type: 'SPLIT',
          branches: lists.map((list, n) => ({
            name: `S${n}`,
            weight: n === chosen % lists.length ? 3 : 0,
            steps: list,
          })),
        })),
      ),
    }
  })
  .steps.filter((list) => list.length > 0)

const eventRule = fc.record(
  { eventName: fc.constantFrom('paid', 'ordered'), filter: ofSize },
  { requiredKeys: ['eventName'] },
)
type ValueOf<Drawn> = Drawn extends fc.Arbitrary<infer Value> ? Value : never
type LeavingRule = ValueOf<typeof eventRule> | { condition: ValueOf<typeof isPlan> }
const leaveRule: fc.Arbitrary<LeavingRule> = fc.oneof(
  eventRule,
  isPlan.map((each) => ({ condition: each })),
)

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'wake' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      name: fc.constantFrom('created', 'created', 'ordered', 'paid'),
      data: size.map((value) => ({ size: value })),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'pause' as const }) },
  fc.constant({ kind: 'resume' as const }),
  plan.map((value) => ({ kind: 'set' as const, plan: value })),
)

const aCase = fc.record({
  steps,
  goal: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, leaveRule),
  exitOn: fc.oneof(
    { weight: 2, arbitrary: fc.constant<LeavingRule[]>([]) },
    fc.array(leaveRule, { minLength: 1, maxLength: 2 }),
  ),
  entryFilter: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, condition),
  metadata: fc.record({ plan: fc.constantFrom('free', 'pro') }),
  due: fc.constantFrom<DueDate>('ahead', 'ahead', 'past', 'soon', 'missing'),
  startData: size.map((value) => ({ size: value })),
  happenings: fc.array(happening, { maxLength: 15, size: 'max' }),
})
type Case = ValueOf<typeof aCase>

const DUE: Record<DueDate, string | undefined> = {
  ahead: undefined,
  past: '2020-01-01',
  soon: 'soon',
  missing: undefined,
}

describe('random automations, contacts and events', () => {
  let world: TimeSkipping
  let server: Awaited<ReturnType<typeof startWebhookServer>>
  // Each case may skip five years.
  useTimeSkipping((opened) => (world = opened), { clock: 'own' })
  before(async () => {
    server = await startWebhookServer()
    server.receiver.answer = ({ url, headers }) => {
      const { searchParams } = new URL(url, SERVER)
      const attempts = server.requests.filter((each) => each.headers['webhook-id'] === headers['webhook-id']).length
      return searchParams.has('fails') && attempts === 1 ? 503 : { plan: searchParams.get('plan') }
    }
  })
  after(() => server.stop())

  it(`send what the model says in ${CASES} cases`, async function () {
    this.timeout(CASES * 60_000)
    const ends: Record<string, number> = {}
    const property = fc.asyncProperty(aCase, async (each) => {
      const end = await compare(each)
      ends[end] = (ends[end] ?? 0) + 1
    })
    // Each smaller case that fails takes long.
    const options = SEED === undefined ? { endOnFailure: true } : { seed: Number(SEED) }
    // Without cached workflows, each task replays the workflow from its first event.
    await world.whileWorking(() => fc.assert(property, { numRuns: CASES, ...options }), 0)
    if (CASES >= 200) assert.equal(Object.keys(ends).length, 4, JSON.stringify(ends))
  })

  /** Runs a case and compares it with the model at each wait. @returns how it ended */
  async function compare({ steps: drawn, goal, exitOn, entryFilter, metadata, due, startData, happenings }: Case) {
    const { workspaceId, dependencies, orm } = world
    world.mails.length = 0
    server.requests.length = 0
    const now = await world.env.currentTimeMs()
    const list = numbered(drawn, now)
    const contactId = await world.contact()
    const dueAt = due === 'ahead' ? new Date(now + 5 * 365 * DAY * 60_000).toISOString() : DUE[due]
    const fields = { ...metadata, ...(dueAt !== undefined && { due: dueAt }) }
    const change = (set: Record<string, unknown>) =>
      orm.em
        .fork()
        .transactional((unit) => applyChange(unit, { workspaceId, contactId, depth: 0 }, { set: { metadata: set } }))
    await change(fields)
    const trigger = `go-${newId()}`
    const automationId = await world.automation(list, {
      triggerConfig: { eventName: trigger },
      ...{ goal, exitOn },
      ...(entryFilter && { entry: { filter: entryFilter as unknown as Record<string, unknown> } }),
    })
    const fire = (name: string, data: unknown) =>
      fireEvent(dependencies, workspaceId, contactId, { name, data }, newCall())
    const fired = await fire(trigger, startData)
    const contact = modelContact(contactId, fields)
    const mayEnter =
      entryFilter === undefined || evaluate(entryFilter, contact, { at: 0, eventData: startData, segments: new Map() })
    assert.equal(fired?.effects.started.length, mayEnter ? 1 : 0)
    if (!mayEnter) return 'REFUSED'

    const rules: LeaveRule[] = [
      ...(goal ? [{ status: 'GOAL_REACHED' as const, ...goal }] : []),
      ...exitOn.map((rule) => ({ status: 'EXITED' as const, ...rule })),
    ]
    const model = new EnrollmentModel(list, { rules, contact, startData, due })
    const positions = new Map(inOrder(list).map((step, position) => [step, position]))
    const handle = world.handle(automationId, contactId)
    const statusOf = async () =>
      (
        await sql<{ status: string }>(orm.em.fork(), 'select status from enrollments where automation_id = $1', [
          automationId,
        ])
      )[0]?.status
    /** Waits until the workflow is where the model is. @returns the end of its wait */
    const arrive = async () => {
      let seen: unknown
      const position = positions.get(model.step!)
      const wakeAt = await eventually(
        'the workflow waits where the model does',
        async () => {
          if (model.status !== 'ACTIVE') {
            seen = await statusOf()
            return seen === model.status ? 0 : undefined
          }
          const state = await handle.query(stateQuery)
          seen = { ...state, sent: world.subjects() }
          if (state.position !== position || state.paused !== model.isHeld) return undefined
          return model.isHeld ? 0 : (state.wakeAt ?? undefined)
        },
        20_000,
      ).catch(() => assert.deepEqual(seen, { position, ...pick(model) }))
      assert.deepEqual(world.subjects(), model.sent)
      return wakeAt!
    }
    try {
      let wakeAt = await arrive()
      const act = async (next: Happening) => {
        const isNoWake = next.kind === 'wake' && model.isHeld
        if (isNoWake) return
        model.apply(next)
        if (next.kind === 'wake') await world.env.sleep(Math.max(0, wakeAt - (await world.env.currentTimeMs())) + 1)
        if (next.kind === 'event') await fire(next.name, next.data)
        if (next.kind === 'set') await change({ plan: next.plan })
        if (next.kind === 'pause') await updateAutomation(orm.em, workspaceId, automationId, { status: 'PAUSED' })
        if (next.kind === 'resume') {
          await updateAutomation(orm.em, workspaceId, automationId, { status: 'ACTIVE' })
          await dependencies.enrollments.wake({ automationId, contactId, concurrencyKey: '' })
        }
        wakeAt = await arrive()
      }
      for (const next of happenings) if (model.status === 'ACTIVE') await act(next)
      if (model.status === 'ACTIVE') await act({ kind: 'resume' })
      for (let n = 0; model.status === 'ACTIVE' && n < MAX_WAITS; n += 1) await act({ kind: 'wake' })
      await handle.result()
      assert.deepEqual({ status: await statusOf(), sent: world.subjects() }, { status: model.status, sent: model.sent })
      return model.status
    } finally {
      await dependencies.enrollments.cancel({ automationId, contactId, concurrencyKey: '' })
    }
  }

  /** Gives each email its own subject, and each time of day its own minute, half a day away. */
  function numbered(drawn: StepInput[], now: number): StepInput[] {
    // A drawn step can be in several places.
    const list = JSON.parse(JSON.stringify(drawn)) as StepInput[]
    const hour = (new Date(now).getUTCHours() + 12) % 24
    for (const [position, step] of inOrder(list).entries()) {
      if (step.type === 'EMAIL') step.subject = `Email ${position}`
      if (step.type === 'WEBHOOK') step.url = step.url.replace(SERVER, server.url)
      if (step.type === 'WAIT_UNTIL') {
        step.timezone = 'Etc/UTC'
        if (step.until.timeOfDay !== undefined)
          step.until.timeOfDay = `${String(hour).padStart(2, '0')}:${String((position * 7) % 60).padStart(2, '0')}`
      }
    }
    return list
  }
})

const pick = ({ step, isHeld, status, sent }: EnrollmentModel) => ({ step, isHeld, status, sent })

/** Steps in the order in which a version stores them. */
function inOrder(list: readonly StepInput[]): StepInput[] {
  return list.flatMap((step) => [step, ...listsOf(step).flatMap((each) => inOrder(each ?? []))])
}

function listsOf(step: StepInput): (StepInput[] | undefined)[] {
  if (step.type === 'SPLIT') return step.branches.map((branch) => branch.steps)
  if (step.type === 'CONDITION') return [...step.branches.map((branch) => branch.steps), step.else]
  return step.type === 'WAIT_FOR_EVENT' ? [step.received, step.timedOut] : []
}

const modelContact = (id: string, metadata: Record<string, unknown>): ModelContact => ({
  ...{ id, metadata, email: `${id}@example.com`, firstName: 'Ada', createdAt: 0, updatedAt: 0 },
  ...{ tags: [], lists: [], events: [], messages: [] },
})
