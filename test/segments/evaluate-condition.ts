import type { Compared, Condition, ConditionField, ConditionOf, ConditionPart } from '../../src/segments/condition.ts'

/** All that a condition can refer to, as plain values. Times are milliseconds. */
export interface ModelContact {
  id: string
  email: string
  firstName: string | null
  metadata: Record<string, unknown>
  createdAt: number
  updatedAt: number
  tags: readonly string[]
  lists: readonly string[]
  events: readonly { name: string; data: unknown; at: number }[]
  messages: readonly ModelMessage[]
}

export interface ModelMessage {
  campaign?: string | undefined
  automation?: string | undefined
  step?: string | undefined
  status: string
  at: number
  openedAt: number | null
  clickedAt: number | null
  bounce: string | null
}

export interface ModelContext {
  at: number
  eventData?: unknown
  stepData?: unknown
  segments: ReadonlyMap<string, Condition>
}

const DAY = 86_400_000

/** Evaluates a condition as docs/segments.md describes it. Shares no code with the product. */
export function evaluate(condition: Condition, contact: ModelContact, context: ModelContext): boolean {
  return group<ConditionPart>(condition, (part) => {
    if ('field' in part) return compareField(part.field, part, contact, context.at)
    if ('metadata' in part) return compareJson(atKey(contact.metadata, part.metadata), part, context.at)
    if ('eventData' in part) return compareJson(atPath(context.eventData, part.eventData), part, context.at)
    if ('stepData' in part) return compareJson(atPath(context.stepData, part.stepData), part, context.at)
    if ('tag' in part) return contact.tags.some((tag) => tag.toLowerCase() === part.tag.toLowerCase())
    if ('list' in part) return contact.lists.includes(part.list)
    if ('segment' in part) {
      const segment = context.segments.get(part.segment)
      return segment !== undefined && evaluate(segment, contact, context)
    }
    const since = (days: number | undefined) => (days === undefined ? -Infinity : context.at - days * DAY)
    if ('activity' in part) {
      return contact.messages.some((message) => {
        const { activity, automation, campaign, withinDays } = part
        if (automation !== undefined && message.automation !== automation) return false
        if (campaign !== undefined && message.campaign !== campaign) return false
        if (activity === 'OPENED') return message.openedAt !== null && message.openedAt > since(withinDays)
        if (activity === 'CLICKED') return message.clickedAt !== null && message.clickedAt > since(withinDays)
        return message.status === activity && message.at > since(withinDays)
      })
    }
    if ('message' in part) {
      return contact.messages.some(({ step, campaign, status, openedAt, clickedAt, bounce }) => {
        if (step !== part.message && campaign !== part.message) return false
        return {
          sent: status === 'SENT' || status === 'CAPTURED',
          opened: openedAt !== null,
          clicked: clickedAt !== null,
          bounced: bounce !== null && ['HARD', 'SOFT', 'BLOCKED'].includes(bounce),
        }[part.is]
      })
    }
    const count = contact.events.filter(
      (event) =>
        event.name.toLowerCase() === part.event.toLowerCase() &&
        event.at > since(part.withinDays) &&
        (part.data === undefined || compareJson(atKey(event.data, part.data), part, context.at)) &&
        (part.where === undefined ||
          group(part.where, (inside) => compareJson(atPath(event.data, inside.eventData), inside, context.at))),
    ).length
    const least = part.atLeast ?? (part.atMost === undefined ? 1 : 0)
    return count >= least && count <= (part.atMost ?? Infinity)
  })
}

type Leaf<Part> = Exclude<Part, { all: unknown } | { any: unknown } | { not: unknown }>

function group<Part extends object>(condition: ConditionOf<Part>, decide: (part: Leaf<Part>) => boolean): boolean {
  const of = (each: unknown): boolean => group(each as ConditionOf<Part>, decide)
  if ('all' in condition) return (condition.all as unknown[]).every(of)
  if ('any' in condition) return (condition.any as unknown[]).some(of)
  if ('not' in condition) return !of(condition.not)
  return decide(condition as Leaf<Part>)
}

function compareField(field: ConditionField, compared: Compared, contact: ModelContact, at: number): boolean {
  if (field === 'email') {
    const value = typeof compared.value === 'string' ? { value: folded(compared.value) } : {}
    return compareJson(contact.email.toLowerCase(), { is: compared.is, ...value }, at)
  }
  if (field === 'firstName') return compareJson(contact.firstName, compared, at)
  const time = field === 'createdAt' ? contact.createdAt : contact.updatedAt
  const { is, value } = compared
  if (is === 'equal') return time === timeOf(value)
  if (is === 'less') return time < timeOf(value)
  if (is === 'more') return time > timeOf(value)
  if (is === 'newerThan') return time > at - lengthOf(value)
  return compareJson(new Date(time).toISOString(), compared, at)
}

function compareJson(found: unknown, compared: Compared, at: number): boolean {
  const exists = found !== undefined && found !== null
  if (compared.is === 'missing') return !exists
  if (compared.is === 'present') return exists
  return (Array.isArray(found) ? found : [found]).some((element) => compareOne(element, compared, at))
}

function compareOne(found: unknown, { is, value }: Compared, at: number): boolean {
  const text = typeof found === 'string' ? folded(found) : undefined
  switch (is) {
    case 'missing':
    case 'present':
      return false
    case 'equal':
      return found === value
    case 'contains':
      return text?.includes(folded(value)) ?? false
    case 'startsWith':
      return text?.startsWith(folded(value)) ?? false
    case 'endsWith':
      return text?.endsWith(folded(value)) ?? false
    case 'less':
      return isComparable(found, value) && isBefore(found, value)
    case 'more':
      return isComparable(found, value) && isBefore(value, found)
    case 'before':
      return timeOf(found) < timeOf(value)
    case 'after':
      return timeOf(found) > timeOf(value)
    case 'within':
      return timeOf(found) >= at && timeOf(found) <= at + lengthOf(value)
    case 'olderThan':
      return timeOf(found) < at - lengthOf(value)
    case 'newerThan':
      return timeOf(found) > at - lengthOf(value) && timeOf(found) <= at
  }
}

/** A text in a condition is compared with texts, and a number with numbers and with texts that are numbers. */
const isComparable = (found: unknown, value: unknown): boolean => typeof value === 'number' || typeof found === 'string'

function isBefore(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other)) < 0
  return numberOf(one) < numberOf(other)
}

const numberOf = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && /^ *[-+]?\d+(\.\d+)? *$/.test(value)
      ? Number(value)
      : NaN

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/** The milliseconds of a date or time in ISO 8601, in UTC if there is no offset; `NaN`, which is neither before nor after, for others. */
export function timeOf(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number') return NaN
  if (/^\d{10}(\.\d{1,9})?$/.test(String(value))) return Number(value) * 1000
  if (/^\d{13}$/.test(String(value))) return Number(value)
  const match = typeof value === 'string' ? TIME.exec(value) : null
  if (!match) return NaN
  const [date = '', clock = '00:00', offset = 'Z'] = match.slice(1)
  if (date.startsWith('0000') || clock.startsWith('24')) return NaN
  const midnight = Date.parse(`${date}T00:00Z`)
  // Date.parse turns 30 February into 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return NaN
  return Date.parse(`${date}T${clock}${offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset}`)
}

const lengthOf = (duration: unknown): number => {
  const text = String(duration)
  return Number(text.slice(0, -1)) * (text.endsWith('h') ? 3_600_000 : DAY)
}

const own = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

/** The value under a path. Without one, those of all elements of the arrays in it. */
function atPath(value: unknown, path: string): unknown {
  const keys = path.split('.')
  const one = keys.reduce(own, value)
  if (one !== undefined || keys.length === 1) return one
  const all = keys.reduce<unknown[]>(
    (found, key) =>
      found
        .flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : [each]))
        .flatMap((each) => (Array.isArray(each) || own(each, key) === undefined ? [] : [[own(each, key)]]))
        .map(([only]) => only),
    [value],
  )
  return all.length === 0 ? undefined : all
}

/** A key that is `null` counts as it is, even if a path leads to another value. */
const atKey = (value: unknown, key: string): unknown => {
  const found = own(value, key)
  return found === undefined && key.includes('.') ? atPath(value, key) : found
}

const folded = (text: unknown): string => String(text).normalize().toLowerCase()
