import { array, number, object, string } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { AUTOMATION_STATUSES, ENROLLMENT_STATUSES } from '../automation-engine/index.ts'
import { MESSAGE_STATUSES } from '../messages/index.ts'
import { REFUSAL_REASONS } from '../triggers/index.ts'
import type { Growth } from './growth-queries.ts'
import { type Counts, type Due, MAX_DUE } from './queries.ts'

/** `GOAL_REACHED` as `goalReached`. */
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

const camelCase = (name: string): string =>
  name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const counts = <Name extends string>(names: readonly Name[], description: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [camelCase(name), count(description(name), 12)])) as Record<
    CamelCase<Name>,
    ReturnType<typeof count>
  >

const present = <Name extends string>(names: readonly Name[], of: Counts): Record<CamelCase<Name>, number> =>
  Object.fromEntries(names.map((name) => [camelCase(name), of[name] ?? 0])) as Record<CamelCase<Name>, number>

const dueCount = () =>
  number()
    .integer()
    .min(0)
    .max(MAX_DUE)
    .required()
    .meta({ description: `Of these, the number that are due. ${MAX_DUE} means that many or more.`, example: 0 })

const nextWakeAt = () => timestamp('When the next of them is due; null if there is none.').nullable().defined()

export const storageResponse = object({
  messages: count('Stored messages.', 412_000),
  bytes: count('Estimated size of these messages in bytes, with their opens, clicks and bounces.', 398_000_000),
  recentMessages: count('Messages created in the last 30 days.', 52_000),
  recentBytes: count('Estimated size of these messages in bytes.', 50_000_000),
})
  .required()
  .meta({ component: 'Storage', description: 'The stored messages, and their estimated size.' })

export const presentStorage = ({ messages, bytes, recentMessages, recentBytes }: Growth) => ({
  messages,
  bytes,
  recentMessages,
  recentBytes,
})

/** Messages by status. The counts add up to the total. */
const messageCountsResponse = object(counts(MESSAGE_STATUSES, (status) => `Messages that are ${status}.`))
  .required()
  .meta({ component: 'MessageCounts', description: 'Messages by status. The counts add up to all messages.' })

export const presentMessageCounts = (of: Counts) => present(MESSAGE_STATUSES, of)

/** Additional counts: subsets of the messages that were sent. */
const visitFields = {
  opened: count('Messages opened by a person, if opens are tracked.', 4),
  clicked: count('Messages in which a person clicked a link, if clicks are tracked.', 2),
}

const presentVisits = (of: Counts) => ({ opened: of['OPENED'] ?? 0, clicked: of['CLICKED'] ?? 0 })

const waitingFields = {
  waiting: count('Contacts whose next step is this one. A WAIT is not counted as a step.', 212),
  due: dueCount(),
  nextWakeAt: nextWakeAt(),
}

const branchStatsResponse = object({
  branch: string().required().meta({
    description:
      'The position of the branch, from 0, or `else`, `received` or `timedOut`. Branches that no contact took are left out.',
    example: '0',
  }),
  passed: count('Contacts who took it.', 57),
}).required()

/** The counters are `PASSED`, or with a branch, `PASSED else`. */
function presentPassed(of: Counts) {
  const counters = Object.entries(of).flatMap(([counter, passed]) => {
    const [, branch] = /^PASSED ?(.*)$/.exec(counter) ?? []
    return branch === undefined ? [] : [{ branch, passed }]
  })
  return {
    passed: counters.reduce((sum, { passed }) => sum + passed, 0),
    branches: counters.filter(({ branch }) => branch !== ''),
  }
}

const stepStatsResponse = object({
  stepId: id('step'),
  messages: messageCountsResponse,
  ...visitFields,
  ...waitingFields,
  passed: count(
    'Contacts who passed the step, or began a WAIT_UNTIL. 0 for an EXIT, and for emails, which have their messages.',
    0,
  ),
  branches: array().of(branchStatsResponse).required(),
})
  .required()
  .meta({ component: 'StepStats', description: 'A step that is not a WAIT, possibly of an earlier version.' })

const enrollmentFields = {
  enrolled: count('Enrollments in total.', 120),
  ...counts(ENROLLMENT_STATUSES, (status) => `Enrollments that are ${status}.`),
  erased: count('Enrollments of contacts that have since been erased.', 0),
  paused: count('ACTIVE enrollments that wait before a step because the automation is paused or a draft.', 0),
}

/** `GET /automations/{id}/stats`. */
export const automationStatsResponse = object({
  automationId: id('automation'),
  status: string().oneOf(AUTOMATION_STATUSES).required().meta({ example: 'ACTIVE' }),
  revision: number()
    .integer()
    .required()
    .meta({ description: 'The revision, as in the ETag. It grows with each change.', example: 7 }),
  ...enrollmentFields,
  refused: object(
    counts(REFUSAL_REASONS, (reason) => `Entries that were refused because of ${reason} in the last 90 days.`),
  )
    .required()
    .meta({ description: 'Refused entries by reason. A contact can be refused several times.' }),
  steps: array().of(stepStatsResponse).required(),
  ending: object(waitingFields)
    .required()
    .meta({ description: 'Contacts that have no further step and wait for the end of the automation.' }),
})
  .required()
  .meta({
    component: 'AutomationStats',
    description: 'Where the contacts of an automation are, and the emails they were sent.',
  })

export interface AutomationStats {
  automationId: string
  /** Total number of enrollments, from automation_counts. */
  enrolled: number
  whole: Counts
  steps: readonly { stepId: string; counts: Counts; due: Due | undefined }[]
  ending: { counts: Counts; due: Due | undefined }
}

const presentWaiting = (of: Counts, due: Due | undefined) => ({
  waiting: of['WAITING'] ?? 0,
  due: due?.due ?? 0,
  nextWakeAt: due?.nextWakeAt?.toISOString() ?? null,
})

const presentEnrollments = (enrolled: number, whole: Counts) => {
  const by = present(ENROLLMENT_STATUSES, whole)
  const kept = Object.values(by).reduce((sum, each) => sum + each, 0)
  // An enrollment that was cancelled before it was recorded has a row, but was not counted as enrolled.
  return {
    enrolled: Math.max(enrolled, kept),
    ...by,
    erased: Math.max(0, enrolled - kept),
    paused: whole['PAUSED'] ?? 0,
  }
}

const presentRefused = (whole: Counts) =>
  present(
    REFUSAL_REASONS,
    Object.fromEntries(REFUSAL_REASONS.map((reason) => [reason, whole[`REFUSED ${reason}`] ?? 0])),
  )

export const presentAutomationStats = ({ automationId, enrolled, whole, steps, ending }: AutomationStats) => ({
  automationId,
  ...presentEnrollments(enrolled, whole),
  refused: presentRefused(whole),
  steps: steps.map(({ stepId, counts: of, due }) => ({
    stepId,
    messages: presentMessageCounts(of),
    ...presentVisits(of),
    ...presentWaiting(of, due),
    ...presentPassed(of),
  })),
  ending: presentWaiting(ending.counts, ending.due),
})

/** Number of days listed for each automation. */
export const MAX_LISTED_DAYS = 7

/** `GET /automations/stats`. */
export const listedStatsResponse = object({
  automationId: id('automation'),
  ...enrollmentFields,
  messages: messageCountsResponse,
  ...visitFields,
  nextWakeAt: nextWakeAt(),
  days: array()
    .of(object({ since: timestamp('When these 24 hours began.'), messages: messageCountsResponse }).required())
    .required()
    .meta({
      description: `The last ${MAX_LISTED_DAYS} periods of 24 hours, oldest first, up to the end of the current hour.`,
    }),
})
  .required()
  .meta({ component: 'ListedStats', description: 'The stats of an automation in a list.' })

export interface ListedStats {
  automationId: string
  enrolled: number
  whole: Counts
  messages: Counts
  nextWakeAt: Date | null
  days: readonly { since: Date; counts: Counts }[]
}

export const presentListedStats = (listed: ListedStats) => ({
  automationId: listed.automationId,
  ...presentEnrollments(listed.enrolled, listed.whole),
  messages: presentMessageCounts(listed.messages),
  ...presentVisits(listed.messages),
  nextWakeAt: listed.nextWakeAt?.toISOString() ?? null,
  days: listed.days.map(({ since, counts: of }) => ({
    since: since.toISOString(),
    messages: presentMessageCounts(of),
  })),
})

/** `GET /stats`. */
export const workspaceStatsResponse = object({
  active: count('Enrollments that are ACTIVE.', 18_599),
  paused: count('How many of them wait before a step because their automation is paused or a draft.', 0),
  due: dueCount(),
  nextWakeAt: nextWakeAt(),
  sending: count('Messages that are SENDING.', 2),
  deferred: count('Messages that are DEFERRED.', 9),
  unconfirmed: count('Messages that are UNCONFIRMED and need a decision.', 1),
})
  .required()
  .meta({ component: 'WorkspaceStats', description: 'The current stats of a workspace.' })

/** `GET /flow`. */
export const intervalResponse = object({
  since: timestamp('Start of the interval.'),
  messages: messageCountsResponse,
  waiting: count('Contacts that continue in this interval, each counted once, with their next step.', 40),
})
  .required()
  .meta({
    component: 'Interval',
    description: 'Messages that were due in an interval of time, and contacts that continue in it.',
  })
