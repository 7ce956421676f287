import fc from 'fast-check'
import type { WaitTarget } from '../../src/automation-engine/index.ts'
import type { StepInput } from '../../src/automations/steps/index.ts'
import type { Condition } from '../../src/segments/condition.ts'
import type { DueDate, Happening } from './enrollment-model.ts'

/** Stands for the URL of the server, which is not known yet. */
export const SERVER = 'http://webhooks.invalid/'
const DAY = 24 * 60

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

export const aCase = fc.record({
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
export type Case = ValueOf<typeof aCase>

/** Gives each email its own subject, and each time of day its own minute, half a day away. */
export function numbered(drawn: StepInput[], now: number, server: string): StepInput[] {
  // A drawn step can be in several places.
  const list = JSON.parse(JSON.stringify(drawn)) as StepInput[]
  const hour = (new Date(now).getUTCHours() + 12) % 24
  for (const [position, step] of inOrder(list).entries()) {
    if (step.type === 'EMAIL') step.subject = `Email ${position}`
    if (step.type === 'WEBHOOK') step.url = step.url.replace(SERVER, server)
    if (step.type === 'WAIT_UNTIL') {
      step.timezone = 'Etc/UTC'
      if (step.until.timeOfDay !== undefined)
        step.until.timeOfDay = `${String(hour).padStart(2, '0')}:${String((position * 7) % 60).padStart(2, '0')}`
    }
  }
  return list
}

/** Steps in the order in which a version stores them. */
export function inOrder(list: readonly StepInput[]): StepInput[] {
  return list.flatMap((step) => [step, ...listsOf(step).flatMap((each) => inOrder(each ?? []))])
}

function listsOf(step: StepInput): (StepInput[] | undefined)[] {
  if (step.type === 'SPLIT') return step.branches.map((branch) => branch.steps)
  if (step.type === 'CONDITION') return [...step.branches.map((branch) => branch.steps), step.else]
  return step.type === 'WAIT_FOR_EVENT' ? [step.received, step.timedOut] : []
}
