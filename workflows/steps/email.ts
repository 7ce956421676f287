import { condition } from '@temporalio/workflow'
import type { StepOutline } from '../../src/domain/steps.ts'
import { sendEmail } from '../activities.ts'
import { historyIsLong } from '../history.ts'
import type { EnrollmentRun, StepResult } from '../run.ts'
import { publishStatus } from '../search-attributes.ts'

/**
 * Sends the email. While the automation is paused or a draft, the contact is held here: the activity looks at the
 * database, and a change of the automation makes it look again.
 */
export async function runEmail(run: EnrollmentRun, step: Extract<StepOutline, { type: 'EMAIL' }>): Promise<StepResult> {
  const { enrollmentId, automationId } = run.input
  for (;;) {
    // A change that comes while the activity looks may or may not be what it saw, so it counts as not seen.
    const seenChanges = run.changes
    const { next } = await sendEmail({ enrollmentId, automationId, stepId: step.id, visit: 0 })
    setHeld(run, next === 'held')
    if (next !== 'held') return next
    await condition(() => run.changes > seenChanges || historyIsLong())
    // A pause can outlast any number of events. The new run looks at the database, and holds again or goes on.
    if (historyIsLong()) return 'continue-as-new'
  }
}

function setHeld(run: EnrollmentRun, held: boolean): void {
  if (run.held === held) return
  run.held = held
  publishStatus(held ? 'HELD' : 'ACTIVE')
  run.show()
}
