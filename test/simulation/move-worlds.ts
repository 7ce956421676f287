import type { Caller } from '../../src/http/caller.ts'
import { ApiError } from '../../src/platform/api-error.ts'
import { sql } from '../../src/platform/db/sql.ts'
import type { StoredStep } from '../../src/automation-engine/index.ts'
import { publishWithChoice } from '../../src/publishing/publish.ts'
import type { Setting } from './setting.ts'
import type { World } from './world.ts'

const email = (subject: string) => ({ type: 'EMAIL', subject, text: 'x' }) as const
const LONG_WAIT = { type: 'WAIT', delayMinutes: 1_440 } as const
const WAIT = { type: 'WAIT', delayMinutes: 1 } as const

/** The revision of an automation that was just created. */
const CREATED = ['1']

/** Numbers of steps after the request to enroll: before, in and after each email. */
const INSTANTS = [0, 3, 5, 7, 9, 11, 13, 16, 20, 30, 45]

/** Times in the wait and after it, in milliseconds. */
const TIMES_MS = [5_000, 30_000, 59_000, 61_000]

/** The steps of an automation, by subject; `wait` for its wait. */
type Steps = Record<string, { id: string }>

async function stepsOf(world: World, automationId: string, names: readonly string[]): Promise<Steps> {
  const [row] = await sql<{ steps: StoredStep[] }>(
    world.em,
    'select steps from automation_versions where automation_id = $1::uuid',
    [automationId],
  )
  return Object.fromEntries(names.map((name, n) => [name, { id: row!.steps[n]!.id }]))
}

/** Waits until the next step of the only enrollment is this one. */
async function untilAt(world: World, stepId: string): Promise<void> {
  const isThere = () => sql(world.em, 'select from enrollments where next_step_id = $1::uuid', [stepId])
  while ((await isThere()).length === 0) await world.scheduler.pause(1_000)
}

/** Publishes steps, and moves the contacts inside. A repeated request is refused, because the automation has changed. */
function moveTo(world: World, automationId: string, steps: readonly object[]) {
  const { workspaceId } = world.ground
  const caller = {
    by: { kind: 'person', person: { email: 'ada@example.com' } },
    workspace: { id: workspaceId },
  } as unknown as Caller
  const publication = { steps, inside: 'MOVE', entry: { reentry: 'ONCE' } } as unknown as Parameters<
    typeof publishWithChoice
  >[3]
  return world.client(
    'publish',
    ({ em }) => publishWithChoice(em.fork(), caller, automationId, publication, CREATED),
    (error) => error instanceof ApiError && error.code === 'revision_conflict',
  )
}

export const MOVE_WORLDS = {
  move: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([email('first'), LONG_WAIT, email('second'), email('third')])
      const contactId = await world.contact('ada')
      const { one, two } = await stepsOf(world, automationId, ['one', 'wait', 'two'])
      const moved = async () => {
        await world.enroll(automationId, contactId)
        await world.scheduler.steps(world.scheduler.choose(INSTANTS))
        // Without the wait, and without the third email. If the enrollment is recorded after this, it begins in this version.
        await moveTo(world, automationId, [
          email('before'),
          { ...email('first'), ...one },
          { ...email('second'), ...two },
          email('new'),
        ])
      }
      return {
        done: moved(),
        expected: [{ contact: 'ada', subjects: ['first', 'second', 'new'] }],
        never: [{ subjects: ['third'], takenAfter: () => 0 }],
      }
    },
  },
  'move-reordered': {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([email('first'), LONG_WAIT, email('second'), email('third')])
      const contactId = await world.contact('ada')
      const { first, wait, second, third } = await stepsOf(world, automationId, ['first', 'wait', 'second', 'third'])
      const moved = async () => {
        await world.enroll(automationId, contactId)
        // The contact has had the first email, which is now after the wait and the second one.
        await untilAt(world, second!.id)
        await world.scheduler.pause(world.scheduler.choose(TIMES_MS))
        await moveTo(world, automationId, [
          { ...WAIT, ...wait },
          { ...email('second'), ...second },
          { ...email('first'), ...first },
          { ...email('third'), ...third },
          email('new'),
        ])
        await world.scheduler.pause(world.scheduler.choose(TIMES_MS))
        const rows = await sql(world.em, `select from enrollments`)
        // The workflow is lost, and the contact who enters again continues where they were.
        if (rows.length > 0) world.temporal.restore([])
        await world.enroll(automationId, contactId)
      }
      return {
        done: moved(),
        expected: [{ contact: 'ada', subjects: ['second', 'third', 'new'] }],
        never: [],
      }
    },
  },
} satisfies Record<string, Setting>
