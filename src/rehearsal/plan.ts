import type { Rehearsable } from '../automations/index.ts'
import type { AutomationRules } from './rehearsed-automation.ts'
import type { SupposedEvent } from './rehearse-people.ts'
import type { Trigger } from '../triggers/index.ts'

/** The automation, the audience and the period of a rehearsal. It stays as it is while the automation changes. */
export interface RehearsalPlan {
  rehearsed: AutomationRules
  /** The rehearsed version; `null` with changes that are not published. */
  version: number | null
  /** The current version, if another one or changes are rehearsed. */
  current: (AutomationRules & { version: number }) | null
  /** The segment whose contacts are rehearsed; `null` for all contacts. */
  segmentId: string | null
  /** The beginning and the end of the rehearsed period, in milliseconds since 1970. */
  from: number
  until: number
  /** The trigger that is replayed; `null` if all contacts enter at the beginning. */
  replay: { trigger: Trigger; triggerKey: string } | null
  /** The event that enrolls contacts who enter at the beginning, if an event starts the automation. */
  event: { name: string; data: Record<string, unknown> } | null
  supposed: readonly SupposedEvent[]
  responses: Readonly<Record<string, unknown>>
}

/** Returns the rules of an automation, without the contents of its emails. */
export const rulesOf = ({
  id,
  steps,
  entry,
  exitOn,
  goal,
  trigger,
  triggerConfig: { listId },
}: Rehearsable): AutomationRules => ({
  ...{ id, steps, entry, exitOn, goal },
  listIds: trigger === 'LIST_ADDED' && listId !== undefined ? [listId.toLowerCase()] : [],
})
