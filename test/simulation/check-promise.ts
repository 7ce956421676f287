/** Compares what a run did with the guarantees. */
import { eventDedupKey } from '../../src/automation-engine/enrollment.ts'
import { LEASE_SECONDS } from '../../src/messages/write-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { BEGINNING, type Process } from './scheduler.ts'
import { checkWebhooks, type WebhookStory } from './check-webhooks.ts'
import type { World } from './world.ts'

/** The acknowledged requests of a run, and their expected effects. */
export interface Story {
  /** Everything that has to be acknowledged: the run continues until it is. */
  done: Promise<unknown>
  /** Contacts that have to get every email, each once. */
  expected: { contact: string; subjects: string[] }[]
  /** Emails to this contact that begin (or are accepted) after this step violate an acknowledged request. */
  never: {
    contact?: string
    /** Limits the rule to emails with these subjects. */
    subjects?: readonly string[]
    takenAfter?: () => number | undefined
    begunBetween?: () => readonly [number, number][]
  }[]
  /** Maximum number of emails to one contact for the same step, where enrollments may be repeated. */
  times?: () => number
  /**
   * Enrollments that may end early: all (by a deletion), or those that have sent no email (by a concurrent deletion). Default:
   * none.
   */
  mayEnd?: 'all' | 'without email'
  /** A campaign that has to finish. */
  campaign?: CampaignStory
  webhooks?: WebhookStory
  /** Statuses that emails must have at the end, unless something other than the world stopped a sender. */
  becomes?: { contact: string; subject: string; status: string }[]
  /** Number of senders that the world itself stops. Default: 0. */
  ownFaults?: number
  /** Status that an automation must have at the end. */
  status?: { automationId: string; is: string }
}

/** Expectations about a campaign. */
export interface CampaignStory {
  id: string
  /** Contacts that get one of the subjects, once. */
  recipients: readonly string[]
  subjects: readonly string[]
  /** Contacts that may have got nothing, with a reason: the campaign was stopped for them or for all. */
  mayBeLeft?: readonly string[] | (() => readonly string[])
  /** Start time in virtual milliseconds. */
  notBefore?: number
  /** Emails per hour. */
  perHour?: number
  /** Maximum number of emails on each day. */
  perDay?: readonly number[]
}

/** One guarantee: yields every violation as text. */
type Sentence = (evidence: Evidence) => AsyncGenerator<string> | Generator<string>

interface Evidence extends Story {
  world: World
  /** Whether no work is pending. */
  quiet: boolean
  messages: readonly Message[]
}

/** A row of `messages` at the end. It has no address if the contact was erased. */
interface Message {
  email: string | null
  subject: string | null
  status: string
}

/** @returns the violations as text; empty if the guarantees hold */
export async function checkPromise(world: World, story: Story, quiet: boolean): Promise<string[]> {
  const evidence = { ...story, world, quiet, messages: await readMessages(world) }
  const violations: string[] = []
  for (const sentence of PROMISE) for await (const violation of sentence(evidence)) violations.push(violation)
  return violations
}

const readMessages = (world: World) =>
  sql<Message>(
    world.em,
    `select coalesce(email.recipient, contact.email) as email, coalesce(content.subject, own.subject, email.subject) as subject,
       message.status
     from messages message left join contacts contact on contact.id = message.contact_id
     left join emails email on email.id = message.id
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

/** Counts the faults after which a sender may not know the outcome of its email. */
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
      if (all.length > 1) yield `${id} was accepted ${all.length} times`
    }
    for (const [what, all] of Map.groupBy(taken, ({ to, subject }) => `${to} ${subject}`)) {
      if (all.length > times()) yield `${what} was accepted ${all.length} times`
    }
  },

  function* nobodyIsSkipped({ world, expected, messages }) {
    for (const { contact, subjects } of expected) {
      const to = addressOf(contact)
      for (const subject of subjects) {
        const wasTaken = world.mail.taken.some((mail) => mail.to === to && mail.subject === subject)
        const hasReason = messages.some(
          (message) => message.email === to && message.subject === subject && message.status === 'UNCONFIRMED',
        )
        if (!wasTaken && !hasReason) yield `${to} never got "${subject}"`
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
      if (mailed || mayEnd !== 'without email') yield `the enrollment by ${dedupKey} ended early`
    }
  },

  async function* nobodyIsInTwice({ world }) {
    const overlapping = await sql(
      world.em,
      `select from enrollments one join enrollments two
         on two.automation_id = one.automation_id and two.contact_id = one.contact_id
         and two.recorded_at > one.recorded_at and two.recorded_at < one.ended_at`,
    )
    if (overlapping.length > 0) yield 'a contact was in the same automation twice at the same time'
  },

  async function* noEventIsLost({ world }) {
    for (const { id, at } of world.fired) {
      const [row] = await sql<{ counts: boolean }>(
        world.em,
        `select exists (select from enrollments where dedup_key = $1 or ended_at >= $2::timestamptz) as counts`,
        [eventDedupKey(id), new Date(at).toISOString()],
      )
      if (!row?.counts) yield `event ${id} started nothing, and no enrollment ran that could have received it`
    }
  },

  async function* whatWasHeardStartsNothing({ world }) {
    const started = await sql<{ dedupKey: string }>(
      world.em,
      `select dedup_key as "dedupKey" from enrollments where dedup_key = any($1::text[])`,
      [[...world.temporal.processedInWait].map(eventDedupKey)],
    )
    for (const { dedupKey } of started)
      yield `${dedupKey} was received by a running enrollment, and started another one`
  },

  function* noWaitIsShort({ world, expected, never }) {
    if (expected.every(({ subjects }) => subjects.length < 2) || never.length > 0) return
    for (const [, all] of Map.groupBy(world.mail.taken, ({ to }) => to)) {
      for (const two of all.filter(({ subject }) => subject === '2')) {
        // The outcome of the email before may be unknown, now or when the workflow continued: then no email marks the start of
        // the wait.
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
    if (row?.status !== is) yield `the automation is ${row?.status}, but was set to ${is}`
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
      if (begun.length === 0) yield `"${subject}" to ${email} is UNCONFIRMED, but was never begun`
      else if (!begun.some(({ sender }) => mayNotKnow(sender)))
        yield `"${subject}" to ${email} is UNCONFIRMED although its sender lived and its server answered`
    }
  },

  function* emailsBecomeWhatTheyShould({ world, messages, becomes = [], ownFaults = 0 }) {
    if (countDoubtful(world) > ownFaults) return
    for (const { contact, subject, status } of becomes) {
      const own = messages.filter((message) => message.email === addressOf(contact) && message.subject === subject)
      const statuses = own.map((message) => message.status).join()
      if (statuses !== status) yield `"${subject}" to ${contact} is ${statuses || 'missing'}, not ${status}`
    }
  },

  function* takenEmailsAreNotRecordedAsUnsent({ world, messages }) {
    const unsent = ['FAILED', 'SUPPRESSED', 'CAPTURED', ...(countDoubtful(world) > 0 ? [] : ['DISMISSED'])]
    for (const { to, subject } of world.mail.taken) {
      const own = messages.filter((message) => message.email === to && message.subject === subject)
      if (own.length > 0 && own.every(({ status }) => unsent.includes(status)))
        yield `"${subject}" to ${to} was accepted, but is ${own.map(({ status }) => status).join()}`
    }
  },

  function* everyMessageIsSettled({ quiet, messages }) {
    for (const { email, subject, status } of messages) {
      if (quiet && ['QUEUED', 'SENDING', 'DEFERRED'].includes(status))
        yield `"${subject}" to ${email ?? 'a deleted contact'} is left ${status}`
    }
  },

  function* nobodyIsMailedAgainstAnAnswer({ world, never }) {
    for (const { contact, subjects, takenAfter, begunBetween } of never) {
      const after = takenAfter?.() ?? Infinity
      for (const { to, subject, at, begunAt } of world.mail.taken) {
        if (contact !== undefined && to !== addressOf(contact)) continue
        if (subjects !== undefined && !subjects.includes(subject)) continue
        if (at > after) yield `"${subject}" to ${to} was accepted after the response`
        if (begunBetween?.().some(([from, until]) => begunAt > from && begunAt < until))
          yield `"${subject}" to ${to} was sent although it was stopped`
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
      // Erased, or never prepared because the campaign was stopped before.
      if (!row) {
        if (!left.includes(to)) yield `${to} has no message of the campaign`
      } else if (row.status === 'SENT') {
        if (taken.length === 0) yield `the campaign's email to ${to} is SENT, but was never accepted`
      } else if (row.status !== 'UNCONFIRMED') {
        if (taken.length > 0) yield `the campaign's email to ${to} is ${row.status}, but was accepted`
        if (!left.includes(to)) yield `the campaign's email to ${to} is ${row.status}: ${row.error}`
        if (row.error === null) yield `the campaign's email to ${to} is ${row.status} without a reason`
      }
    }
  },

  async function* everyEventIsDelivered({ world, webhooks }) {
    if (webhooks) yield* checkWebhooks(world, webhooks)
  },

  function* campaignKeepsItsTimes({ world, campaign }) {
    if (!campaign) return
    const begun = world.mail.taken.map(({ time, took }) => time - took).toSorted((a, b) => a - b)
    const { notBefore = 0, perHour, perDay } = campaign
    const [first, last] = [begun[0], begun.at(-1)]
    if (first !== undefined && first < notBefore) yield `the campaign began ${notBefore - first} ms early`
    // Two workers may both have read the counter before either has incremented it, if one of them was considered dead.
    const excused = world.scheduler.faults.length
    if (perHour !== undefined && first !== undefined && last !== undefined) {
      const allowed = 1 + Math.floor(((last - first) * perHour) / 3_600_000) + excused
      if (begun.length > allowed) yield `${begun.length} emails were sent where ${allowed} are allowed`
    }
    for (const [day, allowed] of (perDay ?? []).entries()) {
      const isOfDay = (time: number) => Math.floor((time - BEGINNING) / DAY_MS) === day
      const count = begun.filter(isOfDay).length
      if (count > allowed)
        yield `on day ${day + 1} of the warm-up ${count} emails were sent where ${allowed} are allowed`
    }
  },
]
