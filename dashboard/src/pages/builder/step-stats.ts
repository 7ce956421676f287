import type { Schemas } from '../../api/client.ts'
import { NO_MESSAGES } from '../../lib/no-messages.ts'
import type { AutomationDraft } from './draft.ts'

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
  for (const step of steps) {
    if (step.type === 'WAIT') {
      waits.push(step.id)
      continue
    }
    const of = byStep.get(step.id)
    const messages = of?.messages ?? NO_MESSAGES
    const { sent, captured, unconfirmed, suppressed, dismissed, failed } = messages
    const passed = sent + captured + unconfirmed + suppressed + dismissed + (onSendFailure === 'CONTINUE' ? failed : 0)
    numbers.set(step.id, { messages, here: 0, passed })
    stand(step.id, of ?? { waiting: 0, due: 0 })
  }
  stand(undefined, stats.ending)
  return numbers
}

/** Counts contacts whose next email was removed from the automation. */
export function contactsAtRemovedSteps({ steps }: AutomationDraft, stats: Schemas['AutomationStats']): number {
  const ids = new Set(steps.map(({ id }) => id))
  return stats.steps.filter(({ stepId }) => !ids.has(stepId)).reduce((sum, { waiting }) => sum + waiting, 0)
}
