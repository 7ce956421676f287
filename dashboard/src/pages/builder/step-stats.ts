import type { Schemas } from '../../api/client.ts'
import { totalOf } from '../../components/MessageBreakdown.tsx'
import { NO_MESSAGES } from '../../lib/no-messages.ts'
import type { AutomationDraft } from './draft.ts'
import { branchesOf, indexTree, type Place } from './step-tree.ts'
import type { Step } from './steps.ts'

export interface StepStats {
  messages: Schemas['MessageCounts']
  /** Contacts at this step now. */
  here: number
  /** Messages after which the enrollment continued. */
  passed: number
}

/**
 * Computes where the contacts of an automation are. The server returns the next email of each; contacts that are not due yet are at the wait before it, the others at the email itself.
 */
export function statsByStep(
  { steps, onSendFailure }: AutomationDraft,
  stats: Schemas['AutomationStats'],
): ReadonlyMap<string, StepStats> {
  const byStep = new Map(stats.steps.map((each) => [each.stepId, each]))
  const numbers = new Map<string, StepStats>()
  const walk = (list: readonly Step[], isRoot: boolean) => {
    let waits: string[] = []
    const stand = (email: string | undefined, { waiting, due }: { waiting: number; due: number }) => {
      const [first] = waits
      const notYet = waiting - due
      if (first !== undefined) numbers.set(first, { messages: NO_MESSAGES, here: notYet, passed: 0 })
      for (const other of waits.slice(1)) numbers.set(other, { messages: NO_MESSAGES, here: 0, passed: 0 })
      const at = email === undefined ? undefined : numbers.get(email)
      if (at) at.here += due + (first === undefined ? notYet : 0)
      waits = []
    }
    for (const step of list) {
      if (step.type === 'WAIT' || step.type === 'WAIT_UNTIL') {
        waits.push(step.id)
        continue
      }
      for (const { steps: inner } of branchesOf(step)) walk(inner, false)
      if (step.type !== 'EMAIL') {
        // The next email of a contact before a branch is unknown.
        waits = []
        continue
      }
      const of = byStep.get(step.id)
      const messages = of?.messages ?? NO_MESSAGES
      const { sent, captured, unconfirmed, suppressed, dismissed, failed } = messages
      const passed =
        sent + captured + unconfirmed + suppressed + dismissed + (onSendFailure === 'CONTINUE' ? failed : 0)
      numbers.set(step.id, { messages, here: 0, passed })
      stand(step.id, of ?? { waiting: 0, due: 0 })
    }
    if (isRoot) stand(undefined, stats.ending)
  }
  walk(steps, true)
  return numbers
}

/** Counts contacts whose next email was removed from the automation. */
export function contactsAtRemovedSteps({ steps }: AutomationDraft, stats: Schemas['AutomationStats']): number {
  const tree = indexTree(steps)
  return stats.steps.filter(({ stepId }) => !tree.find(stepId)).reduce((sum, { waiting }) => sum + waiting, 0)
}

/** Counts the contacts that passed a place, by the nearest email or the ends. @param list the steps around the place @returns `undefined` if that is unknown, as between branches */
export function contactsThrough(
  place: Place,
  list: readonly Step[],
  stats: Schemas['AutomationStats'],
  of: (stepId: string) => StepStats | undefined,
): number | undefined {
  const isPassing = ({ type }: Step) => type === 'WAIT' || type === 'WAIT_UNTIL'
  const before = list.slice(0, place.at).findLast((step) => !isPassing(step))
  const previous = list[place.at - 1]
  if (previous?.type === 'EMAIL') return of(previous.id)?.passed ?? 0
  if (place.parent === null && place.at === 0) return stats.enrolled
  const after = list.slice(place.at).find((step) => !isPassing(step))
  if (after?.type === 'EMAIL') {
    const numbers = of(after.id)
    return numbers ? totalOf(numbers.messages) + Math.max(0, numbers.here - numbers.messages.deferred) : 0
  }
  if (after === undefined && place.parent === null && (before === undefined || before.type === 'EMAIL'))
    return stats.completed
  return undefined
}
