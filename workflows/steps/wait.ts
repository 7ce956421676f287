import { condition, metricMeter } from '@temporalio/workflow'
import { describeStep, type StepOutline } from '../../src/domain/steps.ts'
import { historyIsLong } from '../history.ts'
import type { EnrollmentRun, StepResult } from '../run.ts'
import { publishWait } from '../search-attributes.ts'

/** How late waits end, in milliseconds: a metric of the worker's, which is no part of the history. */
const timerLag = () => metricMeter.createHistogram('dripline_timer_lag', 'int', 'ms', 'How late waits end.')

/**
 * Lets the time pass, in a timer of Temporal's. The end is a point in time and not a rest, so that a run that
 * continues as new in the middle of the wait ends it at the same moment.
 */
export async function runWait(
  run: EnrollmentRun,
  step: Extract<StepOutline, { type: 'WAIT' }>,
  published: ReadonlySet<number>,
): Promise<StepResult> {
  const { progress } = run
  const { steps, position } = progress
  if (progress.wakeAt === null) {
    progress.wakeAt = Date.now() + step.delayMinutes * 60_000
    // A continued run inherits the search attributes.
    if (published.has(position)) publishWait(describeStep(steps, position + 1), new Date(progress.wakeAt))
  }
  run.show()
  const rest = progress.wakeAt - Date.now()
  if (rest > 0 && (await condition(historyIsLong, rest, { summary: describeStep(steps, position) }))) {
    return 'continue-as-new'
  }
  timerLag().record(Math.max(0, Date.now() - progress.wakeAt))
  progress.wakeAt = null
  return 'go-on'
}
