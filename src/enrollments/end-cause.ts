import type { EndStatus } from '../automation-engine/index.ts'
import type { ExitRule } from '../automations/index.ts'

/** The cause of the end of an enrollment before its last step: the goal or exit rule that applied, or another cause. */
export type EndCause =
  | ExitRule
  /** A request for its end. */
  | { cause: 'REQUEST'; requestId: string | null }
  /** The contact confirmed the list for which it asks. */
  | { cause: 'CONFIRMED_LIST'; listId: string }
  /** A publication that ends who is inside, or whose version lacks the step at which the contact was. */
  | { cause: 'PUBLISHED' | 'STEP_REMOVED'; version: number }
  | { cause: OtherCause }

/**
 * - EXIT_STEP: it reached an exit, or a step that ends it
 * - EMAIL_REJECTED: an email was rejected
 * - AUTOMATION_DELETED: its automation was deleted
 * - WORKFLOW_ENDED: its workflow was cancelled or terminated in Temporal
 * - ENROLLED_AGAIN: a newer confirmation request replaced it
 * - STEP_NOT_RESTORED: a restored database does not have the step at which it was
 * - RULE_NOT_RESTORED: a goal or an exit rule that a restored database does not know
 */
export type OtherCause =
  | 'EXIT_STEP'
  | 'EMAIL_REJECTED'
  | 'AUTOMATION_DELETED'
  | 'WORKFLOW_ENDED'
  | 'ENROLLED_AGAIN'
  | 'STEP_NOT_RESTORED'
  | 'RULE_NOT_RESTORED'

/** The end of a workflow: by its own steps, by the signal of a rule, or by a cancellation in Temporal. */
export type WorkflowEnd = 'STEPS' | 'RULE' | 'CANCELLATION'

/**
 * Returns the cause of an end that a workflow reports while the database still has the enrollment as active.
 *
 * @param isDeleted whether the automation is deleted
 * @returns `null` for an enrollment that is completed; `undefined` if nothing explains the end
 */
export function causeOf(status: EndStatus, by: WorkflowEnd, isDeleted: boolean): EndCause | null | undefined {
  switch (status) {
    case 'COMPLETED':
      return null
    case 'STOPPED':
      return { cause: 'EMAIL_REJECTED' }
    case 'EXITED':
    case 'GOAL_REACHED':
      return { cause: by === 'RULE' || status === 'GOAL_REACHED' ? 'RULE_NOT_RESTORED' : 'EXIT_STEP' }
    case 'CANCELLED':
      if (isDeleted) return { cause: 'AUTOMATION_DELETED' }
      return by === 'CANCELLATION' ? { cause: 'WORKFLOW_ENDED' } : undefined
  }
}
