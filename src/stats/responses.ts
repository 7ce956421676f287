import { array, number, object, string } from 'yup'
import { count, id, timestamp } from '../http/index.ts'
import { AUTOMATION_STATUSES, ENROLLMENT_STATUSES } from '../automation-engine/index.ts'
import { MESSAGE_STATUSES } from '../messages/index.ts'
import { type Counts, type Due, MAX_DUE } from './queries.ts'

const counts = <Name extends string>(names: readonly Name[], description: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [name.toLowerCase(), count(description(name), 12)])) as Record<
    Lowercase<Name>,
    ReturnType<typeof count>
  >

const present = <Name extends string>(names: readonly Name[], of: Counts): Record<Lowercase<Name>, number> =>
  Object.fromEntries(names.map((name) => [name.toLowerCase(), of[name] ?? 0])) as Record<Lowercase<Name>, number>

const dueCount = () =>
  number()
    .integer()
    .min(0)
    .max(MAX_DUE)
    .required()
    .meta({ description: `Of these, whose time has come; ${MAX_DUE} stands for that many or more.`, example: 0 })

const nextWakeAt = () => timestamp('When the next of them is due; null where none is to come.').nullable().defined()

/** Messages by what became of them: all terms of one sum. */
export const messageCountsResponse = object(counts(MESSAGE_STATUSES, (status) => `How many are ${status}.`))
  .required()
  .meta({ component: 'MessageCounts', description: 'Messages by status: together all that were to be sent.' })

export const presentMessageCounts = (of: Counts) => present(MESSAGE_STATUSES, of)

/** Beside their sum: of those that were sent. */
const visitFields = {
  opened: count('How many a person has opened, as far as that is asked and can be told.', 4),
  clicked: count('Of how many a person has followed a link, as far as that is asked and can be told.', 2),
}

const presentVisits = (of: Counts) => ({ opened: of['OPENED'] ?? 0, clicked: of['CLICKED'] ?? 0 })

const waitingFields = {
  waiting: count('How many contacts have this email before them next.', 212),
  due: dueCount(),
  nextWakeAt: nextWakeAt(),
}

const stepFiguresResponse = object({
  stepId: id('step'),
  messages: messageCountsResponse,
  ...visitFields,
  ...waitingFields,
})
  .required()
  .meta({ component: 'StepFigures', description: 'An email step, also one of an earlier version.' })

const enrollmentFields = {
  enrolled: count('How many enrollments it has had.', 120),
  ...counts(ENROLLMENT_STATUSES, (status) => `How many are ${status}.`),
  erased: count('How many were of contacts who have been erased since.', 0),
  paused: count(
    'How many of those who are ACTIVE wait before an email because the automation is paused or a draft.',
    0,
  ),
}

/** `GET /automations/{id}/figures`. */
export const automationFiguresResponse = object({
  automationId: id('automation'),
  status: string().oneOf(AUTOMATION_STATUSES).required().meta({ example: 'ACTIVE' }),
  revision: number()
    .integer()
    .required()
    .meta({ description: 'The number in its ETag: of another one it was changed since.', example: 7 }),
  ...enrollmentFields,
  steps: array().of(stepFiguresResponse).required(),
  ending: object(waitingFields)
    .required()
    .meta({ description: 'Those who have no email before them any more, and wait for the end.' }),
})
  .required()
  .meta({
    component: 'AutomationStats',
    description: 'Where the contacts of an automation are, and what they were sent.',
  })

export interface AutomationStats {
  automationId: string
  /** Of all that it has had: automation_counts. */
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
  const kept = by.active + by.completed + by.stopped + by.cancelled
  // Who was cancelled before it was recorded has a row, and was never counted as enrolled.
  return {
    enrolled: Math.max(enrolled, kept),
    ...by,
    erased: Math.max(0, enrolled - kept),
    paused: whole['PAUSED'] ?? 0,
  }
}

export const presentAutomationStats = ({ automationId, enrolled, whole, steps, ending }: AutomationStats) => ({
  automationId,
  ...presentEnrollments(enrolled, whole),
  steps: steps.map(({ stepId, counts: of, due }) => ({
    stepId,
    messages: presentMessageCounts(of),
    ...presentVisits(of),
    ...presentWaiting(of, due),
  })),
  ending: presentWaiting(ending.counts, ending.due),
})

/** How many days are listed of each automation. */
export const DAYS_LISTED = 7

/** `GET /automations/figures`. */
export const listedFiguresResponse = object({
  automationId: id('automation'),
  ...enrollmentFields,
  messages: messageCountsResponse,
  ...visitFields,
  nextWakeAt: nextWakeAt(),
  days: array()
    .of(object({ since: timestamp('When these 24 hours began.'), messages: messageCountsResponse }).required())
    .required()
    .meta({ description: `The last ${DAYS_LISTED} times 24 hours, the oldest first, to the end of this hour.` }),
})
  .required()
  .meta({ component: 'ListedStats', description: 'The figures of an automation, as an item of a list.' })

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

/** `GET /figures`. */
export const figuresResponse = object({
  active: count('How many enrollments are ACTIVE.', 18_599),
  paused: count('How many of them wait before an email because their automation is paused or a draft.', 0),
  due: dueCount(),
  nextWakeAt: nextWakeAt(),
  sending: count('How many messages are SENDING.', 2),
  deferred: count('How many are DEFERRED.', 9),
  unconfirmed: count('How many are UNCONFIRMED, and wait for a decision.', 1),
})
  .required()
  .meta({ component: 'Figures', description: 'What there is in a workspace now.' })

/** `GET /flow`. */
export const intervalResponse = object({
  since: timestamp('When it begins.'),
  messages: messageCountsResponse,
  waiting: count('How many contacts are to go on in it, as far as is known: each with what is next for them.', 40),
})
  .required()
  .meta({ component: 'Interval', description: 'What was to be sent in an interval of time, and what will be.' })
