import type { Schemas } from '../../api/client.ts'
import type { Loose } from '../../components/conditions/condition.ts'
import type { AutomationDraft, ExitRule } from './draft.ts'
import { indexTree } from './step-tree.ts'
import type { Step } from './steps.ts'

/** A place of an automation that needs an event. */
interface EventUse {
  event: string
  /** Such as "Goal" or "Step 3". */
  place: string
  verb: 'waits for' | 'checks'
}

/** Lists what an automation needs of each event, in the order of the automation. */
export function eventUses({ trigger, triggerConfig, entry, exitOn, goal, steps }: AutomationDraft): EventUse[] {
  const tree = indexTree(steps)
  const { eventName } = triggerConfig
  return [
    ...(trigger === 'EVENT' && typeof eventName === 'string' ? [waits('Trigger', eventName)] : []),
    ...checks('Entry filter', entry.filter),
    ...tree.order.flatMap((id) => {
      const found = tree.find(id)
      return found ? usesOfStep(found.step, `Step ${found.number}`) : []
    }),
    ...exitOn.flatMap((rule) => usesOfRule(rule, 'Exit rule')),
    ...(goal ? usesOfRule(goal, 'Goal') : []),
  ].filter(({ event }) => event.trim() !== '')
}

const waits = (place: string, event: string): EventUse => ({ event, place, verb: 'waits for' })
const checks = (place: string, condition: Loose | null | undefined): EventUse[] =>
  eventsIn(condition).map((event) => ({ event, place, verb: 'checks' }))

function usesOfStep(step: Step, place: string): EventUse[] {
  if (step.type === 'WAIT_FOR_EVENT') return [waits(place, step.eventName), ...checks(place, step.filter)]
  return step.type === 'CONDITION' ? step.branches.flatMap((branch) => checks(place, branch.if)) : []
}

function usesOfRule(rule: ExitRule, place: string): EventUse[] {
  if ('event' in rule) return []
  if ('condition' in rule) return checks(place, rule.condition)
  return [waits(place, rule.eventName), ...checks(place, rule.filter)]
}

/** Returns the events that a condition mentions. */
function eventsIn(condition: Loose | null | undefined): string[] {
  if (!condition) return []
  const { all, any, not, event } = condition as { all?: Loose[]; any?: Loose[]; not?: Loose; event?: unknown }
  return [...[...(all ?? []), ...(any ?? []), not].flatMap(eventsIn), ...(typeof event === 'string' ? [event] : [])]
}

/** An event that was not received recently, and what needs it. */
export interface SilentEvent {
  name: string
  /** `undefined` if it is not stored. */
  lastSeenAt: string | undefined
  /** Such as "Goal waits for order.placed". */
  sentence: string
}

const RECENT_MS = 30 * 86_400_000
const list = new Intl.ListFormat('en')

/** Returns the events that were not received in the last 30 days, of those that an automation needs. Names are compared without case. */
export function silentEvents(uses: readonly EventUse[], known: readonly Schemas['EventName'][]): SilentEvent[] {
  const lastSeen = new Map(known.map(({ name, lastSeenAt }) => [name.toLowerCase(), lastSeenAt]))
  return [...Map.groupBy(uses, ({ event }) => event.trim().toLowerCase())].flatMap(([key, [first, ...others]]) => {
    const lastSeenAt = lastSeen.get(key)
    if (!first || (lastSeenAt !== undefined && Date.now() - Date.parse(lastSeenAt) < RECENT_MS)) return []
    const name = first.event.trim()
    const more = [...new Set(others.map(({ place }) => place))].filter((place) => place !== first.place)
    const places = list.format([first.place, ...more.map((place) => place.toLowerCase())])
    return [{ name, lastSeenAt, sentence: `${places} ${more.length > 0 ? 'need' : first.verb} ${name}` }]
  })
}
