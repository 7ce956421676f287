import { array, boolean, number, object, string, type InferType } from 'yup'
import { count, freeObject, id, nullableText, timestamp } from '../http/index.ts'
import { allowedOn, type WarmUp } from '../senders/index.ts'
import { REHEARSAL_STATUSES, type Rehearsal } from './entities.ts'
import type { RenderedStep } from './render-emails.ts'
import type { ContactRehearsal } from './rehearsals.ts'
import type { RehearsalPlan } from './plan.ts'
import type { ContactResult } from './store-queries.ts'
import { differenceOf, emailsIn, outcomeOf } from './summary.ts'
import { type TimelineEntry, TIMELINE_TYPES } from './timeline.ts'

const nullableId = (description: string) =>
  string()
    .nullable()
    .defined()
    .meta({ description, json: { format: 'uuid' }, example: null })
const nullableCount = (description: string, example: number | null = null) =>
  number().integer().nullable().defined().meta({ description, example })

const entryResponse = object({
  at: timestamp('When it happens.'),
  type: string().oneOf(TIMELINE_TYPES).required().meta({ example: 'EMAIL' }),
  stepId: nullableId('The step, if it is one of a step.'),
  until: timestamp('When a wait ends.').nullable().defined(),
  branch: nullableText('The branch that a step chose: an index, or else, received or timedOut.'),
  suppressedBy: nullableText('Why an email is not sent.'),
  eventName: nullableText('The name of an event, without case.'),
  rule: nullableText('The rule that keeps the contact out.'),
  status: nullableText('How the enrollment ends.'),
  leftBy: freeObject().nullable().defined().meta({ description: 'The exit rule or goal that ends it.', example: null }),
})
  .required()
  .meta({ component: 'RehearsedEntry', description: 'Something that would happen to a contact.' })

const presentEntry = (entry: TimelineEntry): InferType<typeof entryResponse> => ({
  at: new Date(entry.at).toISOString(),
  type: entry.type,
  stepId: 'stepId' in entry ? entry.stepId : null,
  until: entry.type === 'WAIT' ? new Date(entry.until).toISOString() : null,
  branch: entry.type === 'BRANCH' ? entry.branch : null,
  suppressedBy: entry.type === 'EMAIL' ? entry.suppressedBy : null,
  eventName: entry.type === 'EVENT' ? entry.name : null,
  rule: entry.type === 'REFUSED' ? entry.rule : null,
  status: entry.type === 'ENDED' ? entry.status : null,
  leftBy: entry.type === 'ENDED' ? entry.rule : null,
})

const timelineResponse = () =>
  array().of(entryResponse).required().meta({ description: 'What would happen, in order.', example: [] })

const OUTCOME = 'How it ends: a status, UNFINISHED, or the rule that keeps the contact out.'
const period = {
  automationId: id('automation'),
  version: nullableCount('The rehearsed version; null with changes that are not published.', 3),
  from: timestamp('The beginning of the rehearsed period.'),
  until: timestamp('Its end.'),
}

const presentPeriod = ({ rehearsed, version, from, until }: RehearsalPlan) => ({
  automationId: rehearsed.id,
  version,
  from: new Date(from).toISOString(),
  until: new Date(until).toISOString(),
})

/** The result of a rehearsal for one contact. */
export const contactRehearsalResponse = object({
  ...period,
  contactId: id('contact'),
  outcome: string().required().meta({ description: OUTCOME, example: 'COMPLETED' }),
  emails: count('The number of emails that are sent.', 3),
  timeline: timelineResponse(),
  rendered: array()
    .of(
      object({
        stepId: id('step'),
        at: timestamp('When it is sent.'),
        subject: nullableText('Null if the template has a problem.'),
        html: nullableText('The HTML, if it has some.'),
        text: nullableText('The text, if it has some.'),
        problem: nullableText('Why it cannot be rendered.'),
      }).required(),
    )
    .required()
    .meta({ description: 'The first 50 emails, as the contact would get them.', example: [] }),
  current: object({
    version: count('The current version.', 2),
    difference: number()
      .integer()
      .required()
      .meta({ description: 'How many more emails than in the current version; negative for fewer.', example: -1 }),
    timeline: timelineResponse(),
  })
    .optional()
    .default(undefined)
    .meta({
      description:
        'The current version, if another one or changes are rehearsed, and the automation was active before.',
    }),
})
  .required()
  .meta({ component: 'ContactRehearsal', description: 'What an automation would do for a contact.' })

export const presentContactRehearsal = (
  plan: RehearsalPlan,
  contactId: string,
  { course, inCurrent }: ContactRehearsal,
  rendered: readonly RenderedStep[],
) => ({
  ...presentPeriod(plan),
  contactId,
  outcome: outcomeOf(course),
  emails: emailsIn(course),
  timeline: course.timeline.map(presentEntry),
  rendered: rendered.map(({ at, ...each }) => ({ ...each, at: new Date(at).toISOString() })),
  ...(inCurrent && {
    current: {
      version: plan.current!.version,
      difference: differenceOf(course, inCurrent) ?? 0,
      timeline: inCurrent.timeline.map(presentEntry),
    },
  }),
})

const counted = <Name extends string>(name: Name, of: string, description: string, example: string) =>
  array()
    .of(
      object({
        [name]: string().required().meta({ example }),
        [of]: count(`The number of ${of}.`, 12),
      }).required(),
    )
    .required()
    .meta({ description, example: [] })

const presentCounts = (counts: Record<string, number>, name: string, of: string) =>
  Object.entries(counts).map(([each, number]) => ({ [name]: each, [of]: number }))

/** A rehearsal for many contacts. */
export const rehearsalResponse = object({
  id: id('rehearsal'),
  ...period,
  status: string().oneOf(REHEARSAL_STATUSES).required().meta({ example: 'DONE' }),
  segmentId: nullableId('The segment whose contacts are rehearsed; null for all contacts.'),
  isReplay: boolean()
    .required()
    .meta({ description: 'Whether it replays what happened, with `replayDays`.', example: false }),
  events: array()
    .of(string().required())
    .required()
    .meta({ description: 'The names of the supposed events.', example: ['order.placed'] }),
  total: count('The number of contacts when it was requested.', 1_204),
  done: count('The number of contacts that are done.', 1_204),
  problem: nullableText('Why it failed.'),
  requestedBy: string().required().meta({ description: 'An email address, or the name of a key.', example: 'Backend' }),
  createdAt: timestamp('When it was requested.'),
  finishedAt: timestamp('When it ended.').nullable().defined(),
  entered: count('The number of contacts who enter.', 1_150),
  refused: counted('rule', 'contacts', 'Contacts who do not enter, by the rule that keeps them out.', 'FILTER'),
  emails: count('The number of emails that are sent.', 3_450),
  days: array()
    .of(
      object({
        day: string().required().meta({ description: 'The day in UTC.', example: '2026-12-01' }),
        emails: count('The number of emails.', 1_150),
        limit: nullableCount(
          'The maximum number of emails that the warm-up and the send rate allow on that day; null without a limit.',
        ),
      }).required(),
    )
    .required()
    .meta({ description: 'Emails by day, in order.', example: [] }),
  steps: counted('stepId', 'emails', 'Emails by step.', '0190163d-8694-739b-aea5-966c26f8ad91'),
  suppressed: counted('reason', 'emails', 'Emails that are not sent, by the reason.', 'UNSUBSCRIBED'),
  branches: array()
    .of(
      object({
        stepId: id('step'),
        branch: string().required().meta({ description: 'See RehearsedEntry.', example: '0' }),
        contacts: count('The number of contacts who take it.', 600),
      }).required(),
    )
    .required()
    .meta({ description: 'The branches that contacts take.', example: [] }),
  ends: counted('status', 'enrollments', 'Enrollments by their end, or UNFINISHED.', 'COMPLETED'),
  current: object({
    version: count('The current version.', 2),
    differences: array()
      .of(
        object({
          difference: number()
            .integer()
            .required()
            .meta({ description: 'How many more emails; negative for fewer.', example: -1 }),
          contacts: count('The number of contacts.', 1_204),
        }).required(),
      )
      .required()
      .meta({ example: [] }),
  })
    .optional()
    .default(undefined)
    .meta({
      description:
        'How many more emails the contacts get than in the current version, if another one or changes are rehearsed, and the automation was active before.',
    }),
})
  .required()
  .meta({ component: 'Rehearsal', description: 'What an automation would do for many contacts.' })

/** The limits of a workspace on the emails of a day. */
export interface DailyLimits {
  warmUp: WarmUp | undefined
  /** Emails per second. */
  sendRate: number | null
}

const SECONDS_OF_DAY = 86_400

function limitOn({ warmUp, sendRate }: DailyLimits, day: string): number | null {
  const limits = [warmUp ? allowedOn(warmUp, day) : null, sendRate && Math.floor(sendRate * SECONDS_OF_DAY)]
  const known = limits.filter((limit) => limit !== null)
  return known.length === 0 ? null : Math.min(...known)
}

export function presentRehearsal(rehearsal: Rehearsal, limits: DailyLimits) {
  const { plan, summary } = rehearsal
  const days = Object.entries(summary.days).sort(([a], [b]) => (a < b ? -1 : 1))
  const differences = Object.entries(summary.differences ?? {}).map(([difference, contacts]) => ({
    difference: Number(difference),
    contacts,
  }))
  return {
    id: rehearsal.id,
    ...presentPeriod(plan),
    status: rehearsal.status,
    segmentId: plan.segmentId,
    isReplay: plan.replay !== null,
    events: plan.supposed.map(({ name }) => name),
    total: rehearsal.total,
    done: rehearsal.done,
    problem: rehearsal.problem ?? null,
    requestedBy: rehearsal.requestedBy,
    createdAt: rehearsal.createdAt.toISOString(),
    finishedAt: rehearsal.finishedAt?.toISOString() ?? null,
    entered: summary.entered,
    refused: presentCounts(summary.refused, 'rule', 'contacts'),
    emails: summary.emails,
    days: days.map(([day, emails]) => ({ day, emails, limit: limitOn(limits, day) })),
    steps: presentCounts(summary.steps, 'stepId', 'emails'),
    suppressed: presentCounts(summary.suppressed, 'reason', 'emails'),
    branches: Object.entries(summary.branches).map(([name, contacts]) => {
      const [stepId, branch] = name.split(' ')
      return { stepId, branch, contacts }
    }),
    ends: presentCounts(summary.ends, 'status', 'enrollments'),
    ...(plan.current && {
      current: {
        version: plan.current.version,
        differences: differences.sort((a, b) => a.difference - b.difference),
      },
    }),
  }
}

/** A contact of a rehearsal. */
export const resultResponse = object({
  contactId: id('contact'),
  email: string().required().meta({ example: 'ada@example.com' }),
  outcome: string().required().meta({ description: OUTCOME, example: 'COMPLETED' }),
  emails: count('The number of emails that are sent.', 3),
  difference: nullableCount(
    'How many more emails than in the current version, negative for fewer; null if nothing is compared, or the contact enters neither.',
  ),
  timeline: timelineResponse(),
})
  .required()
  .meta({ component: 'RehearsalResult', description: 'What a rehearsal found for a contact.' })

export const presentResult = ({ timeline, ...result }: ContactResult & { email: string }) => ({
  ...result,
  timeline: timeline.map(presentEntry),
})
