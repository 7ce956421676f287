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
  /** Contacts who passed the step; of an email, messages after which the enrollment continued. */
  passed: number
  /** Contacts who took each branch, from left to right. */
  branches: readonly number[]
}

/**
 * Computes where the contacts of an automation are. The server returns the next step of each that is not a WAIT. Contacts that are
 * not due yet are at the wait before it, if there is one, and the others at the step itself.
 */
export function statsByStep(
  { steps, onSendFailure }: AutomationDraft,
  stats: Schemas['AutomationStats'],
): ReadonlyMap<string, StepStats> {
  const byStep = new Map(stats.steps.map((each) => [each.stepId, each]))
  const numbers = new Map<string, StepStats>()
  const passedEmail = ({ sent, captured, unconfirmed, suppressed, dismissed, failed }: Schemas['MessageCounts']) =>
    sent + captured + unconfirmed + suppressed + dismissed + (onSendFailure === 'CONTINUE' ? failed : 0)
  const walk = (list: readonly Step[], isRoot: boolean) => {
    /** The first wait since the last step that is none. */
    let wait: StepStats | undefined
    for (const step of list) {
      const of = byStep.get(step.id)
      const messages = of?.messages ?? NO_MESSAGES
      const passed = step.type === 'EMAIL' ? passedEmail(messages) : (of?.passed ?? 0)
      const taken = new Map(of?.branches.map(({ branch, passed: count }) => [branch, count]))
      const branches = branchesOf(step)
      const own = { messages, here: 0, passed, branches: branches.map(({ key }) => taken.get(key) ?? 0) }
      numbers.set(step.id, own)
      if (step.type === 'WAIT') {
        wait ??= own
        continue
      }
      const { waiting = 0, due = 0 } = of ?? {}
      // These wait by themselves, too.
      const isOwnWait = step.type === 'WAIT_FOR_EVENT' || step.type === 'WEBHOOK'
      if (wait && !isOwnWait) wait.here += waiting - due
      own.here = wait && !isOwnWait ? due : waiting
      wait = step.type === 'WAIT_UNTIL' ? own : undefined
      for (const { steps: inner } of branches) walk(inner, false)
    }
    if (isRoot && wait) wait.here += stats.ending.waiting - stats.ending.due
  }
  walk(steps, true)
  return numbers
}

/** Counts the entries that a rule refused. */
export const refusedCount = ({ refused }: Pick<Schemas['AutomationStats'], 'refused'>): number =>
  Object.values(refused).reduce((sum, each) => sum + each, 0)

/** Counts contacts whose next step was removed from the automation. */
export function contactsAtRemovedSteps({ steps }: AutomationDraft, stats: Schemas['AutomationStats']): number {
  const tree = indexTree(steps)
  return stats.steps.filter(({ stepId }) => !tree.find(stepId)).reduce((sum, { waiting }) => sum + waiting, 0)
}

/**
 * Counts the contacts that passed a place.
 *
 * @param list the steps around the place
 * @returns `undefined` if that is unknown, as at the end of a branch, after a WAIT or other branches
 */
export function contactsThrough(
  place: Place,
  list: readonly Step[],
  stats: Schemas['AutomationStats'],
  of: (stepId: string) => StepStats | undefined,
): number | undefined {
  const previous = list[place.at - 1]
  if (previous === undefined)
    return place.parent === null ? stats.enrolled : (of(place.parent)?.branches[place.branch] ?? 0)
  // Contacts who passed a wait or the start of a branch may have ended since, so those that arrived are counted.
  if (previous.type !== 'WAIT' && previous.type !== 'WAIT_UNTIL' && branchesOf(previous).length === 0)
    return of(previous.id)?.passed ?? 0
  const after = list.slice(place.at).find(({ type }) => type !== 'WAIT')
  if (after === undefined) return place.parent === null ? stats.completed : undefined
  // An EXIT has no record of the contacts who reached it.
  if (after.type === 'EXIT') return undefined
  const numbers = of(after.id)
  if (!numbers) return 0
  const { messages, here, passed } = numbers
  return after.type === 'EMAIL' ? totalOf(messages) + Math.max(0, here - messages.deferred) : passed + here
}
