import { setPreferences } from '../../src/consent/preferences.ts'
import { IS_PENDING } from '../../src/outbox/queries.ts'
import { fireEvent } from '../../src/events/fire-event.ts'
import { newCall } from '../../src/platform/call.ts'
import { deleteAutomation } from '../../src/automations/delete-automation.ts'
import { endEnrollment } from '../../src/enrollments/end-enrollment.ts'
import { eraseContact } from '../../src/contacts/erase-contact.ts'
import { ERASURE } from '../../src/runtime/erasure.ts'
import { updateAutomation } from '../../src/automations/automations.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { World, type Ground } from './world.ts'
import { CAMPAIGN_WORLDS } from './campaign-worlds.ts'
import { MESSAGE_WORLDS } from './message-worlds.ts'
import { MOVE_WORLDS } from './move-worlds.ts'
import { WEBHOOK_WORLDS } from './webhook-worlds.ts'
import type { Setting } from './setting.ts'
import { checkPromise, type Story } from './check-promise.ts'
import { STALL_MS, type Decisions } from './scheduler.ts'
import type { WorldName } from './world-names.ts'
import { newId } from '../../src/platform/ids.ts'

const EMAIL = { type: 'EMAIL', subject: '1', text: 'x' } as const
const SECOND = { type: 'EMAIL', subject: '2', text: 'x' } as const
const RECEIPT = { type: 'EMAIL', category: 'transactional', subject: '3', text: 'x' } as const
const WAIT = { type: 'WAIT', delayMinutes: 1 } as const

/** The result of a run: the violations as text; empty if the guarantees hold. */
export interface Outcome {
  violations: string[]
  trace: readonly string[]
}

/** Fires an event until it is acknowledged. */
function fire(world: World, contactId: string, name = 'go') {
  const call = newCall()
  world.fired.push({ id: call.id, at: world.scheduler.now })
  return world.client('fire', (dependencies) =>
    fireEvent(dependencies, world.ground.workspaceId, contactId, { name }, { ...call, afterCommit: [] }),
  )
}

/** Pauses between two changes of an automation. */
const GAPS_MS = [0, 1_000, 3_000, 8_000, 20_000]

/** Numbers of steps after which a contact is mostly in the middle of an email when a stop begins. */
const INSTANTS = [9, 0, 5, 7, 11, 13, 16, 20]

const gone = (error: Error) => /not found/i.test(error.message)
const notIn = (error: Error) => /not enrolled/.test(error.message)

/** Numbers of steps between two changes, and until the next signal. */
const CHANGE_STEPS = [7, 3, 5, 11, 16]
const CHATTER_STEPS = [4, 1, 2, 8]

/** A contact in an automation that is paused and resumed. @param subjects of its emails */
async function pausedAndResumed(
  world: World,
  automationId: string,
  subjects: string[],
  gap = () => world.scheduler.pause(world.scheduler.choose(GAPS_MS)),
): Promise<Story> {
  const contactId = await world.contact('ada')
  const paused: [number, number][] = []
  const changes = async () => {
    let repeated = false
    for (let n = 0; n < subjects.length + 1; n += 1) {
      const { at, attempt } = await world.setStatus(automationId, 'PAUSED')
      repeated ||= attempt > 1
      const interval: [number, number] = [at, Infinity]
      paused.push(interval)
      await gap()
      interval[1] = world.scheduler.step
      const resumed = await world.setStatus(automationId, 'ACTIVE')
      // A stalled API may still carry out a request that its client has sent to another one.
      if (resumed.attempt > 1) await world.scheduler.pause(STALL_MS)
      await gap()
    }
    if (!repeated) return
    await world.scheduler.pause(STALL_MS)
    await world.setStatus(automationId, 'ACTIVE')
  }
  const enrolled = world.enroll(automationId, contactId)
  return {
    done: Promise.all([enrolled, changes()]),
    expected: [{ contact: 'ada', subjects }],
    never: [{ begunBetween: () => paused }],
  }
}

const SETTINGS: Record<WorldName, Setting> = {
  ...CAMPAIGN_WORLDS,
  ...MESSAGE_WORLDS,
  ...MOVE_WORLDS,
  ...WEBHOOK_WORLDS,
  enroll: {
    async run(world) {
      const automationId = await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      return {
        done: world.enroll(automationId, contactId),
        expected: [{ contact: 'ada', subjects: ['1', '2'] }],
        never: [],
      }
    },
  },
  twice: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      let enrolled = 0
      const enroll = async () => {
        const { answer } = await world.enroll(automationId, contactId)
        if (answer?.enrolled) enrolled += 1
      }
      return {
        done: Promise.all([enroll(), enroll()]),
        expected: [{ contact: 'ada', subjects: ['1', '2'] }],
        never: [],
        // Both requests enroll the contact if the second arrives after the first enrollment has ended, or if an API was stalled
        // until then and carries out a request that its client has sent to another one.
        times: () => (world.stopped('api') ? 2 : Math.max(enrolled, 1)),
      }
    },
  },
  event: {
    async run(world) {
      await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      return { done: fire(world, contactId), expected: [{ contact: 'ada', subjects: ['1', '2'] }], never: [] }
    },
  },
  events: {
    workers: 2,
    async run(world) {
      await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      return {
        done: Promise.all([fire(world, contactId), fire(world, contactId)]),
        expected: [{ contact: 'ada', subjects: ['1'] }],
        never: [],
        times: () => 2,
      }
    },
  },
  received: {
    async run(world) {
      await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      const first = fire(world, contactId)
      const isDeliveredAgain = world.scheduler.pick([true, false])
      // Delivered in the middle of the wait.
      const second = first.then(async () => {
        await world.scheduler.pause(40_000)
        const completion = isDeliveredAgain ? world.scheduler.hold(/^SQL delete from outbox using unnest/) : undefined
        const fired = fire(world, contactId)
        // The relay delivers it again every 30 s, also after the end of the enrollment.
        if (completion) await world.scheduler.pause(70_000)
        completion?.release()
        return fired
      })
      return { done: second, expected: [{ contact: 'ada', subjects: ['1', '2'] }], never: [], times: () => 2 }
    },
  },
  again: {
    workers: 2,
    async run(world) {
      await world.automation([EMAIL])
      const contactId = await world.contact('ada')
      const first = fire(world, contactId)
      const second = first.then(async () => {
        await world.scheduler.pause(9_000)
        return fire(world, contactId)
      })
      return { done: second, expected: [{ contact: 'ada', subjects: ['1'] }], never: [], times: () => 2 }
    },
  },
  lost: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      const again = async () => {
        await world.enroll(automationId, contactId)
        // Mostly in the middle of the wait.
        await world.scheduler.pause(world.scheduler.choose([5_000, 20_000, 40_000, 55_000]))
        const rows = await sql(world.em, `select from enrollments`)
        // An enrollment that is not in the database could not be restored.
        if (rows.length > 0) world.temporal.restore([])
        await Promise.all([world.enroll(automationId, contactId), fire(world, contactId)])
      }
      return {
        done: again(),
        expected: [{ contact: 'ada', subjects: ['1', '2'] }],
        never: [],
        times: () => 2,
      }
    },
  },
  behind: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      const again = async () => {
        await world.enroll(automationId, contactId)
        await world.scheduler.pause(30_000)
        const backup = world.temporal.backup()
        await world.scheduler.pause(world.scheduler.choose([35_000, 60_000, 120_000]))
        const rows = await sql(world.em, `select from enrollments where status = 'COMPLETED'`)
        if (rows.length > 0) world.temporal.restore(backup)
        await world.scheduler.choose([
          () => fire(world, contactId),
          () => world.enroll(automationId, contactId),
          () => Promise.all([world.enroll(automationId, contactId), fire(world, contactId)]),
        ])()
      }
      return {
        done: again(),
        expected: [{ contact: 'ada', subjects: ['1', '2'] }],
        never: [],
        times: () => 3,
        mayEnd: 'without email',
      }
    },
  },
  idempotent: {
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const pause = () =>
        world.keyed('pause', async ({ em }) => {
          await updateAutomation(em, world.ground.workspaceId, automationId, { status: 'PAUSED' })
          return { status: 200, body: {} }
        })
      const done = (async () => {
        const paused = pause()
        // The client repeats its request; another client resumes as soon as it is paused.
        for (;;) {
          const [row] = await sql<{ status: string }>(world.em, 'select status from automations')
          if (row?.status === 'PAUSED') break
          await world.scheduler.pause(100)
        }
        await world.setStatus(automationId, 'ACTIVE')
        await paused
        await pause()
      })()
      return { done, expected: [], never: [], status: { automationId, is: 'ACTIVE' } }
    },
  },
  pause: {
    workers: 2,
    longHistory: 6,
    run: async (world) => pausedAndResumed(world, await world.automation([EMAIL, SECOND]), ['1', '2']),
  },
  chatty: {
    workers: 2,
    longHistory: 5,
    longTasks: true,
    async run(world) {
      const subjects = ['1', '2', '3', '4']
      const automationId = await world.automation(subjects.map((subject) => ({ ...EMAIL, subject })))
      const story = await pausedAndResumed(world, automationId, subjects, () =>
        world.scheduler.steps(world.scheduler.choose(CHANGE_STEPS)),
      )
      const chatter = async () => {
        for (let n = 0; n < 60; n += 1) {
          world.temporal.repeat()
          await world.scheduler.steps(world.scheduler.choose(CHATTER_STEPS))
        }
      }
      return { ...story, done: Promise.all([story.done, chatter()]) }
    },
  },
  delete: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, SECOND])
      const contacts = [await world.contact('ada'), await world.contact('bob')]
      let deletedAt: number | undefined
      const enrolled = Promise.all(contacts.map((contactId) => world.enroll(automationId, contactId, gone)))
      const deletion = async () => {
        await world.scheduler.steps(world.scheduler.choose(INSTANTS))
        const { at } = await world.client(
          'delete',
          (dependencies) => deleteAutomation(dependencies.em, world.ground.workspaceId, automationId, newCall()),
          gone,
        )
        deletedAt = at
      }
      return {
        done: Promise.all([enrolled, deletion()]),
        expected: [],
        never: [{ takenAfter: () => deletedAt }],
        mayEnd: 'all',
      }
    },
  },
  exit: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      let exitedAt: number | undefined
      let entersAgain = false
      let isOnce = false
      const enrolled = world.enroll(automationId, contactId)
      const exit = async () => {
        await world.scheduler.steps(world.scheduler.choose(INSTANTS))
        await world.scheduler.pause(world.scheduler.choose([0, 0, 20_000, 59_000]))
        // A contact who is not enrolled yet may enter after it.
        await enrolled
        const { at, attempt } = await world.client(
          'exit',
          (dependencies) => endEnrollment(dependencies, world.ground.workspaceId, automationId, contactId, newCall()),
          notIn,
        )
        entersAgain = world.scheduler.choose([false, true])
        if (!entersAgain) exitedAt = at
        else await world.enroll(automationId, contactId)
        // A stalled API that returns ends all enrollments that exist by then.
        isOnce = attempt === 1
      }
      const expected: Story['expected'] = []
      return {
        done: exit().then(() => entersAgain && isOnce && expected.push({ contact: 'ada', subjects: ['1', '2'] })),
        expected,
        never: [{ takenAfter: () => exitedAt }],
        // A stalled API may still carry out a request that its client has sent to another one.
        times: () => (world.stopped('api') ? 3 : 2),
        mayEnd: 'all',
      }
    },
  },
  leave: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, WAIT, SECOND], {
        trigger: 'EVENT',
        triggerConfig: { eventName: 'go' },
        exitOn: [{ eventName: 'paid' }],
      })
      const contactId = await world.contact('ada')
      let leftAt = Infinity
      const leave = async () => {
        // An event before the contact enters does not count.
        await world.enroll(automationId, contactId)
        await world.scheduler.pause(world.scheduler.choose([0, 0, 20_000, 59_000, 60_000]))
        await world.scheduler.steps(world.scheduler.choose(INSTANTS))
        leftAt = (await fire(world, contactId, 'paid')).at
      }
      return { done: leave(), expected: [], never: [{ begunBetween: () => [[leftAt, Infinity]] }], mayEnd: 'all' }
    },
  },
  unsubscribe: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, SECOND, RECEIPT])
      const contactId = await world.contact('ada')
      let unsubscribedAt = Infinity
      const unsubscribing = async () => {
        await world.scheduler.steps(world.scheduler.choose(INSTANTS))
        const { at } = await world.client('unsubscribe', (dependencies) =>
          setPreferences(dependencies, { contactId, originId: newId() }, { kind: 'nothing' }),
        )
        unsubscribedAt = at
      }
      return {
        done: Promise.all([world.enroll(automationId, contactId), unsubscribing()]),
        expected: [{ contact: 'ada', subjects: ['3'] }],
        never: [{ contact: 'ada', subjects: ['1', '2'], begunBetween: () => [[unsubscribedAt, Infinity]] }],
      }
    },
  },
  erase: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, SECOND])
      const contactId = await world.contact('ada')
      let erasedAt: number | undefined
      const enrolled = world.enroll(automationId, contactId, gone)
      const erasure = async () => {
        await world.scheduler.steps(world.scheduler.choose(INSTANTS))
        const { at } = await world.client(
          'erase',
          (dependencies) => eraseContact(dependencies, ERASURE, world.ground.workspaceId, contactId, newCall()),
          gone,
        )
        erasedAt = at
      }
      // Another client writes to the automation: a claim waits for that in the middle of its statement.
      const written = world.setStatus(automationId, 'ACTIVE').then(() => world.setStatus(automationId, 'ACTIVE'))
      return {
        done: Promise.all([enrolled, erasure(), written]),
        expected: [],
        never: [{ contact: 'ada', takenAfter: () => erasedAt }],
        mayEnd: 'all',
      }
    },
  },
}

/** Maximum virtual time of a run until everything acknowledged is done, in minutes. */
const MINUTES = 60

/** Runs a world with some decisions, and checks the guarantees. */
export async function runWorld(ground: Ground, name: string, decisions: Decisions): Promise<Outcome> {
  const setting = SETTINGS[name as WorldName]
  await ground.clear()
  const world = new World(ground, decisions, {
    longHistory: setting.longHistory ?? 200,
    longTasks: setting.longTasks ?? false,
    connections: setting.connections ?? 1,
    mailServers: setting.mailServers ?? 1,
  })
  const story = await setting.run(world)
  world.begin(setting.workers ?? 1)
  let acknowledged = false
  void story.done.then(() => (acknowledged = true))
  let failure: string | undefined
  let quiet = false
  try {
    quiet = await world.scheduler.run(async () => acknowledged && (await isQuiet(world)), MINUTES)
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const failures = failure === undefined ? world.temporal.failures : [failure]
  const violations = failures.length > 0 ? [...failures] : await checkPromise(world, story, quiet)
  for (const process of [...world.scheduler.processes]) process.alive = false
  return { violations, trace: world.scheduler.trace }
}

/** Whether no work is pending. */
async function isQuiet(world: World): Promise<boolean> {
  if ([...world.temporal.executions.values()].some(({ closed }) => closed === undefined)) return false
  const [row] = await sql<{ pending: number }>(
    world.em,
    `select ((select count(*) from outbox where ${IS_PENDING})
       + (select count(*) from enrollments where status = 'ACTIVE')
       + (select count(*) from campaigns where status in ('SCHEDULED', 'SENDING'))
       + (select count(*) from messages where status in ('QUEUED', 'SENDING', 'DEFERRED'))
       + (select count(*) from webhook_deliveries join webhook_endpoints on id = endpoint_id
          where webhook_deliveries.status = 'PENDING' and webhook_endpoints.status = 'ENABLED'))::integer as pending`,
  )
  return row?.pending === 0
}
