/** Sends one email. Subject and bodies are Liquid templates; see `src/templates/content.ts` for their variables. */
export interface EmailStep {
  id: string
  type: 'EMAIL'
  subject: string
  html: string | null
  text: string | null
}

/** Lets `delayMinutes` minutes pass. */
export interface WaitStep {
  id: string
  type: 'WAIT'
  delayMinutes: number
}

export type Step = EmailStep | WaitStep
export type StepType = Step['type']

/** What an email step says, before it is rendered. */
export type EmailContent = Pick<EmailStep, 'subject' | 'html' | 'text'>

/** A step as a version keeps it: an email names its content by hash, so that reading a sequence costs the same at any size. */
export type StoredStep = { id: string; type: 'EMAIL'; content: string } | WaitStep

/** All step types; a registry written `satisfies Record<StepType, …>` makes the compiler name what is missing. */
export const STEP_TYPES = ['EMAIL', 'WAIT'] as const satisfies readonly StepType[]

/** What a workflow may know of a step: no content, because histories hold no content. */
export type StepOutline = { id: string; type: 'EMAIL' } | { id: string; type: 'WAIT'; delayMinutes: number }

/** The longest wait that can be written: ten years, in minutes. */
export const MAX_DELAY_MINUTES = 10 * 366 * 24 * 60

/** The most steps an automation may have. A continued run carries the outline of all, so it has to end somewhere. */
export const MAX_STEPS = 500

export const outlineOf = (step: StoredStep): StepOutline =>
  step.type === 'WAIT'
    ? { id: step.id, type: step.type, delayMinutes: step.delayMinutes }
    : { id: step.id, type: step.type }

const UNITS = [
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const

/** A wait in words, for operators: `describeDelay(1500)` is "1 day 1 hour". */
export function describeDelay(minutes: number): string {
  const words: string[] = []
  let rest = minutes
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
  }
  return words.join(' ') || '0 minutes'
}

/** A step in an operator's words, such as "2 of 3: WAIT 30 days". `position` is zero-based. */
export function describeStep(steps: readonly StepOutline[], position: number): string {
  const step = steps[position]
  if (!step) return 'end'
  const what = step.type === 'WAIT' ? `WAIT ${describeDelay(step.delayMinutes)}` : step.type
  return `${position + 1} of ${steps.length}: ${what}`
}
