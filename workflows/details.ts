import { describeDelay } from '../src/domain/steps.ts'
import type { EnrollmentProgress } from './messages.ts'

/** How many steps the table shows around the present one, so that it stays readable and small. */
const SHOWN_BEFORE = 10
const SHOWN_AFTER = 20

/** The current details of an enrollment: a Markdown table of the steps, with the one that the contact is at. */
export function describeProgress(progress: EnrollmentProgress, held: boolean): string {
  const { automationName, steps, position, wakeAt } = progress
  const state = (at: number): string => {
    if (at < position) return 'done'
    if (at > position) return ''
    if (held) return '**held** until the automation is active'
    return wakeAt === null ? '**now**' : `**waiting** until ${new Date(wakeAt).toISOString()}`
  }
  const first = Math.max(0, position - SHOWN_BEFORE)
  const rows = steps.slice(first, position + SHOWN_AFTER).map((step, index) => {
    const at = first + index
    const what = step.type === 'WAIT' ? `WAIT ${describeDelay(step.delayMinutes)}` : step.type
    return `| ${at + 1} | ${what} | ${state(at)} |`
  })
  const end = position >= steps.length ? ['', 'The sequence is at its end.'] : []
  return [`**${automationName}**`, '', '| # | step | state |', '|---|---|---|', ...rows, ...end].join('\n')
}
