import type { StepInput } from '../src/automations/steps/index.ts'
import proto from '@temporalio/proto'
import { enrollContact } from '../src/enrollments/enroll-contact.ts'
import { newCall } from '../src/platform/call.ts'
import { bareHistory, type BarePart } from '../test/support/bare-sequence.ts'
import { startTimeSkipping } from '../test/support/time-skipping.ts'
import type { Benchmark } from './compare.ts'

/** Ten steps, with days between the emails. */
const PLAN = Array.from({ length: 5 }, (_, n) => ['EMAIL', (n + 1) * 1440] as const).flat()
/** Ten steps with two conditions, each before an email. */
const BRANCHING = ['EMAIL', 1440, 'CONDITION', 'EMAIL', 2880, 'EMAIL', 1440, 'CONDITION', 'EMAIL', 2880] as const

type History = proto.temporal.api.history.v1.IHistory
const inEvents = ({ events }: History): number => events?.length ?? 0
const inBytes = (history: History): number => proto.temporal.api.history.v1.History.encode(history).finish().length

function toStep(part: BarePart): StepInput {
  if (part === 'EMAIL') return { type: 'EMAIL', subject: 'x', text: 'x' }
  if (part !== 'CONDITION') return { type: 'WAIT', delayMinutes: part }
  return {
    type: 'CONDITION',
    branches: [{ name: 'Pro', if: { metadata: 'plan', is: 'equal', value: 'pro' }, steps: [] }],
    else: [],
  }
}

const cost = (
  name: string,
  title: string,
  unit: string,
  atMost: number,
  plan: readonly BarePart[],
  measure: (history: History) => number,
): Benchmark => ({
  name,
  title,
  goal: { atMost },
  unit,
  async prepare() {
    const world = await startTimeSkipping()
    const steps = plan.map(toStep)
    return {
      async ours() {
        const automationId = await world.automation(steps)
        const contactId = await world.contact()
        return world.whileWorking(async () => {
          await enrollContact(world.dependencies, world.workspaceId, automationId, { contactId }, newCall())
          const handle = world.handle(automationId, contactId)
          await handle.result()
          return measure(await handle.fetchHistory())
        })
      },
      bare: async () => measure(await bareHistory(world.env, plan)),
      close: () => world.stop(),
    }
  },
})

export const eventsCost = cost(
  'events-cost',
  'events in the history of an enrollment with ten steps ÷ of a hand-written one',
  'events',
  0.75,
  PLAN,
  inEvents,
)
export const bytesCost = cost(
  'events-cost/bytes',
  'bytes of the history of an enrollment with ten steps ÷ of a hand-written one',
  'bytes',
  1.25,
  PLAN,
  inBytes,
)
export const branchesCost = cost(
  'events-cost/branches',
  'events in the history of an enrollment with ten steps, two of them conditions ÷ of a hand-written one',
  'events',
  1,
  BRANCHING,
  inEvents,
)
