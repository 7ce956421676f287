import { emailKey } from '../platform/email-address.ts'
import { foldName } from '../triggers/index.ts'
import { atKey, atPath, compareJson, compareText, compareTime, instantOf, periodOf } from './compare-in-memory.ts'
import type {
  Compared,
  ConditionField,
  ConditionOf,
  EventPart,
  MessageCondition,
  ResolvedCondition,
} from './condition.ts'
import { DAY_MS } from './duration.ts'

/** All that a condition can refer to. Times are milliseconds since 1970. */
export interface ContactFacts {
  email: string
  firstName: string | null
  metadata: Readonly<Record<string, unknown>>
  createdAt: number
  updatedAt: number
  /** Names as `foldName` returns them. */
  tags: ReadonlySet<string>
  lists: ReadonlySet<string>
  events: readonly EventFact[]
  messages: readonly MessageFact[]
}

export interface EventFact {
  /** Absent for an event that is not stored. */
  id?: string
  /** The name as `foldName` returns it. */
  name: string
  data: unknown
  at: number
}

export interface MessageFact {
  stepId: string | null
  automationId: string | null
  campaignId: string | null
  status: string
  at: number
  openedAt: number | null
  clickedAt: number | null
  hasBounced: boolean
}

/** The instant of an evaluation, and data that only some conditions use. */
export interface FactsEvaluation {
  /** Milliseconds since 1970. What happens later does not count yet. */
  at: number
  eventData?: unknown
  stepData?: Readonly<Record<string, unknown>> | undefined
}

/** Evaluates a condition in memory. The result is that of its SQL at that instant (`condition-sql.ts`). */
export function conditionHolds(
  condition: ResolvedCondition,
  facts: ContactFacts,
  evaluation: FactsEvaluation,
): boolean {
  const { at } = evaluation
  const messages = facts.messages.filter((message) => message.at <= at)
  return tree(condition, (part) => {
    if ('field' in part) return compareField(part.field, part, facts, at)
    if ('metadata' in part) return compareJson(atKey(facts.metadata, part.metadata), part, at)
    if ('eventData' in part) return compareJson(atPath(evaluation.eventData, part.eventData), part, at)
    if ('stepData' in part) return compareJson(atPath(evaluation.stepData, part.stepData), part, at)
    if ('tag' in part) return facts.tags.has(foldName(part.tag))
    if ('list' in part) return facts.lists.has(part.list)
    if ('activity' in part) {
      const { activity, automation, campaign, withinDays } = part
      const counts = (time: number | null) => hasHappened(time, at, withinDays)
      return messages.some((message) => {
        if (automation !== undefined && message.automationId !== automation) return false
        if (campaign !== undefined && message.campaignId !== campaign) return false
        if (activity === 'OPENED') return counts(message.openedAt)
        if (activity === 'CLICKED') return counts(message.clickedAt)
        return message.status === activity && counts(message.at)
      })
    }
    if ('message' in part)
      return messages.some(
        (message) =>
          (message.stepId === part.message || message.campaignId === part.message) && MESSAGE_IS[part.is](message, at),
      )
    return didEvent(part, facts.events, at)
  })
}

const MESSAGE_IS: Readonly<Record<MessageCondition, (message: MessageFact, at: number) => boolean>> = {
  sent: ({ status }) => status === 'SENT' || status === 'CAPTURED',
  opened: ({ openedAt }, at) => hasHappened(openedAt, at),
  clicked: ({ clickedAt }, at) => hasHappened(clickedAt, at),
  bounced: ({ hasBounced }) => hasBounced,
}

const hasHappened = (time: number | null, at: number, withinDays = Infinity): boolean =>
  time !== null && time <= at && time > at - withinDays * DAY_MS

function didEvent(part: EventPart, events: readonly EventFact[], at: number): boolean {
  const { atMost = Infinity, atLeast = part.atMost === undefined ? 1 : 0 } = part
  const name = foldName(part.event)
  const count = events.filter(
    (event) =>
      event.name === name &&
      hasHappened(event.at, at, part.withinDays) &&
      (part.data === undefined || compareJson(atKey(event.data, part.data), part, at)) &&
      (part.where === undefined ||
        tree(part.where, (inside) => compareJson(atPath(event.data, inside.eventData), inside, at))),
  ).length
  return count >= atLeast && count <= atMost
}

function compareField(name: ConditionField, compared: Compared, facts: ContactFacts, at: number): boolean {
  switch (name) {
    case 'email':
      return compareText(emailKey(facts.email), { ...compared, value: emailKey(String(compared.value)) })
    case 'firstName':
      return compareText(facts.firstName, compared)
    case 'createdAt':
    case 'updatedAt':
      return compareTime(facts[name], compared, at)
  }
}

type Group = { all: unknown } | { any: unknown } | { not: unknown }

function tree<Part extends object>(
  condition: ConditionOf<Part>,
  holds: (part: Exclude<Part, Group>) => boolean,
): boolean {
  if ('all' in condition) return condition.all.every((each: ConditionOf<Part>) => tree(each, holds))
  if ('any' in condition) return condition.any.some((each: ConditionOf<Part>) => tree(each, holds))
  if ('not' in condition) return !tree(condition.not, holds)
  return holds(condition as Exclude<Part, Group>)
}

/**
 * Lists the instants at which a condition can become true or false by time alone, without a change of the contact: those at
 * which a date or an event enters or leaves a period. In order, in milliseconds since 1970.
 */
export function instantsOfChange(condition: ResolvedCondition, facts: ContactFacts): number[] {
  const found = partsOf(condition).flatMap((part): number[] => {
    if ('field' in part)
      return part.field === 'email' || part.field === 'firstName' ? [] : edges(part, [facts[part.field]])
    if ('metadata' in part) return edges(part, [atKey(facts.metadata, part.metadata)].flat().map(instantOf))
    if ('activity' in part)
      return endsOf(
        facts.messages.flatMap(({ at, openedAt, clickedAt }) => [at, openedAt ?? NaN, clickedAt ?? NaN]),
        part.withinDays,
      )
    if (!('event' in part)) return []
    const name = foldName(part.event)
    return endsOf(
      facts.events.flatMap((event) => (event.name === name ? event.at : [])),
      part.withinDays,
    )
  })
  return [...new Set(found.filter((time) => !Number.isNaN(time)))].sort((a, b) => a - b)
}

/** The first milliseconds at which dates are in a period, and are no longer. */
function edges({ is, value }: Compared, times: readonly number[]): number[] {
  const period = periodOf(value)
  if (is === 'within') return times.flatMap((time) => [time - period, time + 1])
  if (is === 'olderThan') return times.map((time) => time + period + 1)
  return is === 'newerThan' ? times.flatMap((time) => [time, time + period]) : []
}

const endsOf = (times: readonly number[], days: number | undefined): number[] =>
  days === undefined ? [] : times.map((time) => time + days * DAY_MS)

function partsOf(condition: ResolvedCondition): Exclude<ResolvedCondition, Group>[] {
  if ('all' in condition) return condition.all.flatMap(partsOf)
  if ('any' in condition) return condition.any.flatMap(partsOf)
  return 'not' in condition ? partsOf(condition.not) : [condition]
}
