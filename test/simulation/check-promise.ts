/** Holds what a run did against the promise. */
import { eventDedupKey } from '../../src/automation-engine/enrollment.ts'
import { LEASE_SECONDS } from '../../src/messages/store-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { BEGINNING, type Process } from './scheduler.ts'
import type { World } from './world.ts'

/** What was acknowledged. */
export interface Story {
  /** All that is to be acknowledged: the run goes on until it is. */
  done: Promise<unknown>
  /** Who has to get every email, each once. */
  expected: { contact: string; subjects: string[] }[]
  /** Whoever gets an email that was begun, or taken, after this is mailed against an acknowledged call. */
  never: {
    contact?: string
    /** Of those emails alone. */
    subjects?: readonly string[]
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
  /** A campaign that has to come to its end. */
  campaign?: CampaignStory
  /** The statuses that emails must have at the end, where no sender was stopped but by the world itself. */
  becomes?: { contact: string; subject: string; status: string }[]
  /** How many senders the world stops; 0 if it is not said. */
  ownFaults?: number
  /** What an automation has to be at the end. */
  status?: { automationId: string; is: string }
}

/** What is known of a campaign by others than itself. */
export interface CampaignStory {
  id: string
  /** Who gets one of the subjects, once. */
  recipients: readonly string[]
  subjects: readonly string[]
  /** Who may have got nothing, with a reason: it was stopped, for them or for all. */
  mayBeLeft?: readonly string[] | (() => readonly string[])
  /** When it begins, in virtual milliseconds. */
  notBefore?: number
  /** How many emails it sends an hour. */
  perHour?: number
  /** How many emails it may send on each day. */
  perDay?: readonly number[]
}

/** A sentence of the promise: what speaks against it, in words. */
type Sentence = (evidence: Evidence) => AsyncGenerator<string> | Generator<string>

interface Evidence extends Story {
  world: World
  /** Whether nothing is pending for anybody any more. */
  quiet: boolean
  messages: readonly Message[]
}

/** As the ledger has it at the end. Who was erased has no address. */
interface Message {
  email: string | null
  subject: string | null
  status: string
}

/** @returns what is wrong, in words; nothing when the promise was kept. */
export async function checkPromise(world: World, story: Story, quiet: boolean): Promise<string[]> {
  const evidence = { ...story, world, quiet, messages: await readMessages(world) }
  const violations: string[] = []
  for (const sentence of PROMISE) for await (const violation of sentence(evidence)) violations.push(violation)
  return violations
}

const readMessages = (world: World) =>
  sql<Message>(
    world.em,
    `select contact.email, coalesce(content.subject, own.subject) as subject, message.status
     from messages message left join contacts contact on contact.id = message.contact_id
     left join enrollments enrollment on enrollment.id = message.enrollment_id
     left join automation_versions version
       on version.automation_id = enrollment.automation_id and version.version = enrollment.version
     left join lateral (
       select step ->> 'content' as hash from jsonb_array_elements(version.steps) step
       where step ->> 'id' = message.step_id::text
     ) step on true
     left join email_contents content on content.automation_id = message.automation_id and content.hash = step.hash
     left join campaign_contents own on own.campaign_id = message.campaign_id and own.locale = ''
       and own.variant = coalesce(message.variant, 0)`,
  )

/** The faults after which a sender may not know what became of its email. */
const countDoubtful = ({ scheduler }: World) =>
  scheduler.faults.filter(({ what, fault }) => /crash|stall|nap/.test(fault) || what.startsWith('mail')).length

const DAY_MS = 24 * 60 * 60_000

const addressOf = (contact: string) => `${contact}@example.com`

const PROMISE: readonly Sentence[] = [
  function* nothingIsOwed({ quiet }) {
    if (!quiet) yield 'something that was acknowledged is still pending'
  },

  function* nobodyIsMailedTwice({ world, times = () => 1 }) {
    const { taken } = world.mail
    for (const [id, all] of Map.groupBy(taken, ({ messageId }) => messageId)) {
      if (all.length > 1) yield `${id} was taken ${all.length} times`
    }
    for (const [what, all] of Map.groupBy(taken, ({ to, subject }) => `${to} ${subject}`)) {
      if (all.length > times()) yield `${what} was taken ${all.length} times`
    }
  },

  function* nobodyIsSkipped({ world, expected, messages }) {
    for (const { contact, subjects } of expected) {
      const to = addressOf(contact)
      for (const subject of subjects) {
        const wasTaken = world.mail.taken.some((mail) => mail.to === to && mail.subject === subject)
        const isTold = messages.some(
          (message) => message.email === to && message.subject === subject && message.status === 'UNCONFIRMED',
        )
        if (!wasTaken && !isTold) yield `${to} never got "${subject}"`
      }
    }
  },

  async function* noEnrollmentEndsBeforeItsTime({ world, mayEnd }) {
    if (mayEnd === 'all') return
    const cancelled = await sql<{ dedupKey: string; mailed: boolean }>(
      world.em,
      `select dedup_key as "dedupKey", exists (select from messages where enrollment_id = enrollment.id) as mailed
       from enrollments enrollment where status = 'CANCELLED'`,
    )
    for (const { dedupKey, mailed } of cancelled) {
      if (mailed || mayEnd !== 'unmailed') yield `the enrollment by ${dedupKey} was ended before its time`
    }
  },

  async function* nobodyIsInTwice({ world }) {
    const overlapping = await sql(
      world.em,
      `select from enrollments one join enrollments two
         on two.automation_id = one.automation_id and two.contact_id = one.contact_id
         and two.recorded_at > one.recorded_at and two.recorded_at < one.ended_at`,
    )
    if (overlapping.length > 0) yield 'somebody was in the same automation twice at a time'
  },

  async function* noEventIsLost({ world }) {
    for (const { id, at } of world.fired) {
      const [row] = await sql<{ counts: boolean }>(
        world.em,
        `select exists (select from enrollments where dedup_key = $1 or ended_at >= $2::timestamptz) as counts`,
        [eventDedupKey(id), new Date(at).toISOString()],
      )
      if (!row?.counts) yield `event ${id} started nothing, and nothing ran that could have received it`
    }
  },

  async function* whatWasHeardStartsNothing({ world }) {
    const started = await sql<{ dedupKey: string }>(
      world.em,
      `select dedup_key as "dedupKey" from enrollments where dedup_key = any($1::text[])`,
      [[...world.temporal.heardInWait].map(eventDedupKey)],
    )
    for (const { dedupKey } of started)
      yield `${dedupKey} was received in the middle of a sequence, and started another one`
  },

  function* noWaitIsShort({ world, expected, never }) {
    if (expected.every(({ subjects }) => subjects.length < 2) || never.length > 0) return
    for (const [, all] of Map.groupBy(world.mail.taken, ({ to }) => to)) {
      for (const two of all.filter(({ subject }) => subject === '2')) {
        // The email before it may be one of which nobody knows, or knew when the sequence went on: then none measures it.
        const one = all.findLast(({ subject, at }) => subject === '1' && at < two.at)
        if (one && one.took < LEASE_SECONDS * 1_000 && two.time - one.time < 60_000)
          yield `the wait took ${two.time - one.time} ms`
      }
    }
  },

  async function* whatIsAnsweredStays({ world, status }) {
    if (!status) return
    const { automationId, is } = status
    const [row] = await sql<{ status: string }>(world.em, 'select status from automations where id = $1::uuid', [
      automationId,
    ])
    if (row?.status !== is) yield `the automation is ${row?.status}, and was made ${is}`
  },

  function* unconfirmedHasItsReason({ world, messages }) {
    const mayNotKnow = (sender: Process) =>
      world.scheduler.faults.some(
        ({ process, what, fault }) => process === sender && (/crash|stall|nap/.test(fault) || what.startsWith('mail')),
      )
    for (const { email, subject, status } of messages) {
      if (status !== 'UNCONFIRMED' || !email) continue
      const begun = world.mail.begun.filter(
        (other) => other.to === email && (subject === null || other.subject === subject),
      )
      if (begun.length === 0) yield `"${subject}" to ${email} is UNCONFIRMED, and was never begun`
      else if (!begun.some(({ sender }) => mayNotKnow(sender)))
        yield `"${subject}" to ${email} is UNCONFIRMED although its sender lived and its server answered`
    }
  },

  function* emailsBecomeWhatTheyShould({ world, messages, becomes = [], ownFaults = 0 }) {
    if (countDoubtful(world) > ownFaults) return
    for (const { contact, subject, status } of becomes) {
      const own = messages.filter((message) => message.email === addressOf(contact) && message.subject === subject)
      const statuses = own.map((message) => message.status).join()
      if (statuses !== status) yield `"${subject}" to ${contact} is ${statuses || 'nowhere'}, and not ${status}`
    }
  },

  function* takenEmailsAreNotRecordedAsUnsent({ world, messages }) {
    const unsent = ['FAILED', 'SUPPRESSED', 'CAPTURED', ...(countDoubtful(world) > 0 ? [] : ['DISMISSED'])]
    for (const { to, subject } of world.mail.taken) {
      const own = messages.filter((message) => message.email === to && message.subject === subject)
      if (own.length > 0 && own.every(({ status }) => unsent.includes(status)))
        yield `"${subject}" to ${to} was taken, and is ${own.map(({ status }) => status).join()}`
    }
  },

  function* everyMessageIsSettled({ quiet, messages }) {
    for (const { email, subject, status } of messages) {
      if (quiet && ['QUEUED', 'SENDING', 'DEFERRED'].includes(status))
        yield `"${subject}" to ${email ?? 'somebody who is gone'} is left ${status}`
    }
  },

  function* nobodyIsMailedAgainstAnAnswer({ world, never }) {
    for (const { contact, subjects, takenAfter, begunBetween } of never) {
      const after = takenAfter?.() ?? Infinity
      for (const { to, subject, at, begunAt } of world.mail.taken) {
        if (contact !== undefined && to !== addressOf(contact)) continue
        if (subjects !== undefined && !subjects.includes(subject)) continue
        if (at > after) yield `"${subject}" to ${to} was taken after the answer`
        if (begunBetween?.().some(([from, until]) => begunAt > from && begunAt < until))
          yield `"${subject}" to ${to} was sent while paused`
      }
    }
  },

  async function* eachRecipientHasAFinalStatus({ world, campaign }) {
    if (!campaign) return
    const rows = await sql<{ email: string; status: string; error: string | null }>(
      world.em,
      `select contact.email, message.status, message.error from messages message
       join contacts contact on contact.id = message.contact_id where message.campaign_id = $1::uuid`,
      [campaign.id],
    )
    const { mayBeLeft = [] } = campaign
    const left = (typeof mayBeLeft === 'function' ? mayBeLeft() : mayBeLeft).map(addressOf)
    for (const to of campaign.recipients.map(addressOf)) {
      const own = rows.filter(({ email }) => email === to)
      const taken = world.mail.taken.filter((mail) => mail.to === to && campaign.subjects.includes(mail.subject))
      if (taken.length > 1) yield `${to} got the campaign ${taken.length} times`
      if (own.length > 1) yield `${to} has ${own.length} messages of the campaign`
      const [row] = own
      // Erased, or never prepared because it was stopped before.
      if (!row) {
        if (!left.includes(to)) yield `${to} has no message of the campaign`
      } else if (row.status === 'SENT') {
        if (taken.length === 0) yield `the campaign's email to ${to} is SENT, and was never taken`
      } else if (row.status !== 'UNCONFIRMED') {
        if (taken.length > 0) yield `the campaign's email to ${to} is ${row.status}, and was taken`
        if (!left.includes(to)) yield `the campaign's email to ${to} is ${row.status}: ${row.error}`
        if (row.error === null) yield `the campaign's email to ${to} is ${row.status} without a reason`
      }
    }
  },

  function* campaignKeepsItsTimes({ world, campaign }) {
    if (!campaign) return
    const begun = world.mail.taken.map(({ time, took }) => time - took).toSorted((a, b) => a - b)
    const { notBefore = 0, perHour, perDay } = campaign
    const [first, last] = [begun[0], begun.at(-1)]
    if (first !== undefined && first < notBefore) yield `the campaign began ${notBefore - first} ms before its time`
    // Two workers may both have looked before either has counted, where one was taken for dead.
    const excused = world.scheduler.faults.length
    if (perHour !== undefined && first !== undefined && last !== undefined) {
      const allowed = 1 + Math.floor(((last - first) * perHour) / 3_600_000) + excused
      if (begun.length > allowed) yield `${begun.length} emails went where ${allowed} may go`
    }
    for (const [day, allowed] of (perDay ?? []).entries()) {
      const isOfDay = (time: number) => Math.floor((time - BEGINNING) / DAY_MS) === day
      const count = begun.filter(isOfDay).length
      if (count > allowed) yield `on day ${day + 1} of the warm-up ${count} emails went where ${allowed} may go`
    }
  },
]
