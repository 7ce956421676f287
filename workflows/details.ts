import {
  describeStep,
  describeType,
  type MachineState,
  plainMarkdown,
  positionOf,
  type StepOutline,
} from '../src/automation-engine/index.ts'

/** Number of steps shown around the present one, so that the table stays readable and small. */
const SHOWN_BEFORE = 5
const SHOWN_AFTER = 20

/** Formats the current details of an enrollment: one line with its position, and a Markdown table of the steps around it. */
export function describeProgress(automationName: string, steps: readonly StepOutline[], state: MachineState): string {
  const position = positionOf(steps, state)
  const now = describeNow(steps, state)
  // With branches, not all steps before the present one were taken.
  const hasBranches = steps.some((step) => step.branchStarts)
  const first = Math.max(0, position - SHOWN_BEFORE)
  const rows = steps.slice(first, position + SHOWN_AFTER).map((step, index) => {
    const at = first + index
    const isDone = at < position && !hasBranches
    return `| ${at + 1} | ${describeType(step)} | ${isDone ? 'done' : at === position ? now : ''} |`
  })
  const headline = `**${plainMarkdown(automationName)}**: ${describeStep(steps, position)}${now && `, ${now}`}`
  return [headline, '', '| # | step | state |', '|---|---|---|', ...rows].join('\n')
}

function describeNow(steps: readonly StepOutline[], state: MachineState): string {
  if (positionOf(steps, state) >= steps.length) return ''
  if (state.paused) return '**paused** until the automation is active'
  return state.wakeAt === null ? '**now**' : `**waiting** until ${new Date(state.wakeAt).toISOString()}`
}
