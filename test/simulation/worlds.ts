import { fireEvent } from '../../src/services/fire-event.ts'
import { newCall } from '../../src/services/call.ts'
import { deleteAutomation } from '../../src/services/delete-automation.ts'
import { eraseContact } from '../../src/services/erase-contact.ts'
import { doOnce } from '../../src/api/idempotency.ts'
import { updateAutomation } from '../../src/services/automations.ts'
import { eventCause } from '../../src/domain/enrollment.ts'
import { sql } from '../../src/db/sql.ts'
import { World, type Ground } from './world.ts'
import type { Decisions, Process } from './scheduler.ts'
import type { WorldName } from './world-names.ts'

const EMAIL = { type: 'EMAIL', subject: '1', text: 'x' } as const
const SECOND = { type: 'EMAIL', subject: '2', text: 'x' } as const
const WAIT = { type: 'WAIT', delayMinutes: 1 } as const

/** What a run came to: what is wrong with it, in words; nothing when the promise was kept. */
export interface Outcome {
  violations: string[]
  trace: readonly string[]
}

interface Setting {
  workers?: number
  /** After so many events a workflow continues as new. */
  longHistory?: number
  run(world: World): Promise<Story>
}

/** What was acknowledged, for the judge. */
interface Story {
  /** All that is to be acknowledged: the run goes on until it is. */
  done: Promise<unknown>
  /** Who has to get every email, each once. */
  expected: { contact: string; subjects: string[] }[]
  /** Whoever gets an email that was begun, or taken, after this is mailed against an acknowledged call. */
  never: {
    contact?: string
    takenAfter?: () => number | undefined
    begunBetween?: () => readonly [number, number][]
  }[]
  /** How often somebody may be mailed the same step at most, where sequences may be repeated. */
  times?: () => number
  /**
   * Which enrollments may be ended before their time: all, by a deletion; or those that have mailed nothing, by one that comes
   * in the same moment. Else none is.
   */
  mayEnd?: 'all' | 'unmailed'
  /** What an automation has to be at the end. */
  status?: { automationId: string; is: string }
}

/** Fires an event until it is acknowledged. */
function fire(world: World, contactId: string) {
  const call = newCall()
  world.fired.push({ id: call.id, at: world.scheduler.now })
  return world.client('fire', (dependencies) =>
    fireEvent(dependencies, world.ground.workspaceId, contactId, { name: 'go' }, { ...call, afterCommit: [] }),
  )
}

/** How long an automation stays as it is before it is changed again. */
const GAPS_MS = [0, 1_000, 3_000, 8_000, 20_000]

const gone = (error: Error) => /not found/i.test(error.message)

const SETTINGS: Record<WorldName, Setting> = {
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
        // Both are in where the second call comes through when the first one's sequence is over.
        times: () => Math.max(enrolled, 1),
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
  heard: {
    async run(world) {
      await world.automation([EMAIL, WAIT, SECOND])
      const contactId = await world.contact('ada')
      const first = fire(world, contactId)
      // Delivered in the middle of the wait.
      const second = first.then(async () => {
        await world.scheduler.pause(40_000)
        return fire(world, contactId)
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
        // Of what has not come to the ledger nobody would know.
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
        mayEnd: 'unmailed',
      }
    },
  },
  idempotent: {
    async run(world) {
      const automationId = await world.automation([EMAIL])
      const { workspaceId } = world.ground
      const request = {
        workspaceId,
        requestId: 'r',
        key: 'pause',
        method: 'PATCH',
        path: '/x',
        rawBody: '',
        mayRead: true,
      }
      const pause = () =>
        world.client('pause', (dependencies) =>
          doOnce(dependencies, { ...request, transactional: true }, async (_call, { em }) => {
            await updateAutomation(em, workspaceId, automationId, { status: 'PAUSED' })
            return { status: 200, body: {} }
          }),
        )
      const done = (async () => {
        const paused = pause()
        // The client asks again by itself; somebody else resumes as soon as it is paused.
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
    async run(world) {
      const automationId = await world.automation([EMAIL, SECOND])
      const contactId = await world.contact('ada')
      const paused: [number, number][] = []
      const changes = async () => {
        for (let n = 0; n < 3; n += 1) {
          const { at } = await world.setStatus(automationId, 'PAUSED')
          const interval: [number, number] = [at, Infinity]
          paused.push(interval)
          await world.scheduler.pause(world.scheduler.choose(GAPS_MS))
          interval[1] = world.scheduler.step
          await world.setStatus(automationId, 'ACTIVE')
          await world.scheduler.pause(world.scheduler.choose(GAPS_MS))
        }
      }
      const enrolled = world.enroll(automationId, contactId)
      return {
        done: Promise.all([enrolled, changes()]),
        expected: [{ contact: 'ada', subjects: ['1', '2'] }],
        never: [{ begunBetween: () => paused }],
      }
    },
  },
  delete: {
    workers: 2,
    async run(world) {
      const automationId = await world.automation([EMAIL, SECOND])
      const contacts = [await world.contact('ada'), await world.contact('bob')]
      let deletedAt: number | undefined
      const enrolled = Promise.all(contacts.map((contactId) => world.enroll(automationId, contactId, gone)))
      const deleted = world
        .client(
          'delete',
          (dependencies) => deleteAutomation(dependencies.em, world.ground.workspaceId, automationId),
          gone,
        )
        .then(({ at }) => {
          deletedAt = at
        })
      return {
        done: Promise.all([enrolled, deleted]),
        expected: [],
        never: [{ takenAfter: () => deletedAt }],
        mayEnd: 'all',
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
      const erased = world
        .client('erase', (dependencies) => eraseContact(dependencies, world.ground.workspaceId, contactId), gone)
        .then(({ at }) => {
          erasedAt = at
        })
      // Somebody writes to the automation meanwhile: a claim waits for that in the middle of its statement.
      const written = world.setStatus(automationId, 'ACTIVE').then(() => world.setStatus(automationId, 'ACTIVE'))
      return {
        done: Promise.all([enrolled, erased, written]),
        expected: [],
        never: [{ contact: 'ada', takenAfter: () => erasedAt }],
        mayEnd: 'all',
      }
    },
  },
}

/** The most virtual time that a run may take until everything acknowledged is done, in minutes. */
const MINUTES = 60

/** Runs a world under some decisions, and judges it. */
export async function runWorld(ground: Ground, name: string, decisions: Decisions): Promise<Outcome> {
  const setting = SETTINGS[name as WorldName]
  await ground.clear()
  const world = new World(ground, decisions, { longHistory: setting.longHistory ?? 200 })
  const story = await setting.run(world)
  await world.begin(setting.workers ?? 1)
  let acknowledged = false
  void story.done.then(() => (acknowledged = true))
  let failure: string | undefined
  let quiet = false
  try {
    quiet = await world.scheduler.run(async () => acknowledged && (await isQuiet(world)), MINUTES)
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
  const violations = failure ? [failure] : await judge(world, story, quiet)
  for (const process of [...world.scheduler.processes]) process.alive = false
  return { violations, trace: world.scheduler.trace }
}

/** Whether nothing is owed to anybody any more. */
async function isQuiet(world: World): Promise<boolean> {
  const [row] = await sql<{ owed: number }>(
    world.em,
    `select ((select count(*) from outbox where kind <> 'RECONCILE')
       + (select count(*) from enrollments where status = 'ACTIVE'))::integer as owed`,
  )
  return row?.owed === 0 && [...world.temporal.executions.values()].every(({ closed }) => closed !== undefined)
}

async function judge(world: World, story: Story, quiet: boolean): Promise<string[]> {
  const { taken, begun } = world.mail
  const violations: string[] = []
  if (!quiet) violations.push('something that was acknowledged is still owed')
  const times = Map.groupBy(taken, ({ messageId }) => messageId)
  for (const [id, all] of times) if (all.length > 1) violations.push(`${id} was taken ${all.length} times`)
  const bySubject = Map.groupBy(taken, ({ to, subject }) => `${to} ${subject}`)
  for (const [what, all] of bySubject) {
    if (all.length > (story.times?.() ?? 1)) violations.push(`${what} was taken ${all.length} times`)
  }
  const rows = await sql<{ email: string | null; subject: string | null; status: string; attempts: number }>(
    world.em,
    `select contact.email, content.subject, message.status, message.attempts
     from messages message left join contacts contact on contact.id = message.contact_id
     left join enrollments enrollment on enrollment.id = message.enrollment_id
     left join automation_versions version
       on version.automation_id = enrollment.automation_id and version.version = enrollment.version
     left join lateral (
       select step ->> 'content' as hash from jsonb_array_elements(version.steps) step
       where step ->> 'id' = message.step_id::text
     ) step on true
     left join email_contents content on content.automation_id = message.automation_id and content.hash = step.hash`,
  )
  for (const { contact, subjects } of story.expected) {
    const to = `${contact}@example.com`
    for (const subject of subjects) {
      const unconfirmed = rows.some(
        (row) => row.email === to && row.subject === subject && row.status === 'UNCONFIRMED',
      )
      if (!bySubject.has(`${to} ${subject}`) && !unconfirmed) violations.push(`${to} never got "${subject}"`)
    }
  }
  if (story.mayEnd !== 'all') {
    const cancelled = await sql<{ cause: string; mailed: boolean }>(
      world.em,
      `select cause, exists (select from messages where enrollment_id = enrollment.id) as mailed
       from enrollments enrollment where status = 'CANCELLED'`,
    )
    for (const { cause, mailed } of cancelled) {
      if (mailed || story.mayEnd !== 'unmailed') violations.push(`the enrollment by ${cause} was ended before its time`)
    }
  }
  const [{ overlapping } = { overlapping: 0 }] = await sql<{ overlapping: number }>(
    world.em,
    `select count(*)::integer as overlapping from enrollments one join enrollments two
       on two.automation_id = one.automation_id and two.contact_id = one.contact_id
       and two.recorded_at > one.recorded_at and two.recorded_at < one.ended_at`,
  )
  if (overlapping > 0) violations.push('somebody was in the same automation twice at a time')
  for (const { id, at } of world.fired) {
    const [row] = await sql<{ counts: boolean }>(
      world.em,
      `select exists (select from enrollments where cause = $1 or ended_at >= $2::timestamptz) as counts`,
      [eventCause(id), new Date(at).toISOString()],
    )
    if (!row?.counts) violations.push(`event ${id} started nothing, and nothing ran that could have heard it`)
  }
  const started = await sql<{ id: string }>(
    world.em,
    `select cause as id from enrollments where cause = any($1::text[])`,
    [[...world.temporal.heardInWait].map(eventCause)],
  )
  for (const { id } of started) violations.push(`${id} was heard in the middle of a sequence, and started another one`)
  for (const [, all] of Map.groupBy(taken, ({ to }) => to)) {
    if (story.expected.every(({ subjects }) => subjects.length < 2) || story.never.length > 0) continue
    for (const two of all.filter(({ subject }) => subject === '2')) {
      // The email before it may be one of which nobody knows: then there is none to measure from.
      const one = all.findLast(({ subject, at }) => subject === '1' && at < two.at)
      if (one && two.time - one.time < 60_000) violations.push(`the wait took ${two.time - one.time} ms`)
    }
  }
  const excuses = (sender: Process) =>
    world.scheduler.faults.some(
      ({ process, what, fault }) => process === sender && (/crash|stall/.test(fault) || what.startsWith('mail')),
    )
  if (story.status) {
    const [row] = await sql<{ status: string }>(world.em, 'select status from automations where id = $1::uuid', [
      story.status.automationId,
    ])
    if (row?.status !== story.status.is)
      violations.push(`the automation is ${row?.status}, and was made ${story.status.is}`)
  }
  for (const { email, subject, status } of rows) {
    if (status === 'UNCONFIRMED' && email) {
      const senders = begun.filter((other) => other.to === email && (subject === null || other.subject === subject))
      if (senders.length === 0) violations.push(`"${subject}" to ${email} is UNCONFIRMED, and was never begun`)
      else if (!senders.some(({ sender }) => excuses(sender)))
        violations.push(`"${subject}" to ${email} is UNCONFIRMED although its sender lived and its server answered`)
    }
    if (quiet && (status === 'SENDING' || status === 'DEFERRED')) {
      violations.push(`"${subject}" to ${email ?? 'somebody who is gone'} is left ${status}`)
    }
  }
  for (const { contact, takenAfter, begunBetween } of story.never) {
    for (const mail of taken) {
      if (contact !== undefined && mail.to !== `${contact}@example.com`) continue
      const after = takenAfter?.()
      if (after !== undefined && mail.at > after)
        violations.push(`"${mail.subject}" to ${mail.to} was taken after the answer`)
      if (begunBetween?.().some(([from, to]) => mail.begunAt > from && mail.begunAt < to))
        violations.push(`"${mail.subject}" to ${mail.to} was sent while paused`)
    }
  }
  return violations
}
