import { ELSE, RECEIVED, type StoredStep, TIMED_OUT } from '../automation-engine/index.ts'
import type { Decision } from './decision-queries.ts'

const ENTRY_SENTENCES: Record<string, string> = {
  FILTER: 'Was not enrolled: the entry filter did not match.',
  REENTRY: 'Was not enrolled: the re-entry rule does not allow another enrollment yet.',
  KEY: 'Was not enrolled: the event has no usable concurrency key.',
  LOOP: 'Was not enrolled: too many automations started each other.',
}

/** The name of the branch that a finished step took; `null` if it has no branches. */
export function branchOf({ step, result }: Pick<Decision, 'step' | 'result'>): string | null {
  const branch = result?.next === 'go-on' ? result.branch : undefined
  if (branch === undefined) return null
  const branches = step && 'branches' in step ? (step.branches as readonly { name?: string }[]) : []
  return branches[Number(branch)]?.name ?? branch
}

/** Describes a decision in a sentence without personal data. */
export function sentenceOf(decision: Decision): string {
  const { kind, rule, stepType, step, result, until } = decision
  if (kind === 'ENTRY') return ENTRY_SENTENCES[rule!]!
  if (kind === 'EMAIL') return `The email was not sent: ${(rule ?? 'sending failed').replace(/\.$/, '')}.`
  if (result?.next === 'end') return 'Left the automation at this step.'
  switch (stepType) {
    case 'CONDITION':
    case 'SPLIT':
      return branchSentence(decision)
    case 'WAIT_FOR_EVENT':
      return eventSentence(decision, step as Extract<StoredStep, { type: 'WAIT_FOR_EVENT' }> | null)
    case 'WAIT_UNTIL':
      return waitSentence(decision)
    case 'WEBHOOK':
      return webhookSentence(decision)
    case 'UPDATE_CONTACT':
      return 'Updated the contact.'
    case 'EMAIL':
    case 'WAIT':
    case 'EXIT':
    case null:
      return until ? `Waits until ${until.toISOString()}.` : 'Ran the step.'
  }
}

function branchSentence({ stepType, step, result }: Decision): string {
  const branch = branchOf({ step, result })
  if (branch === null) return 'Chooses a branch.'
  if (stepType === 'SPLIT') return `Took the branch “${branch}” of the split.`
  return branch === ELSE
    ? 'Took the else branch: no condition matched.'
    : `Took the branch “${branch}”: its condition was the first that matched.`
}

function eventSentence(
  { result, until }: Decision,
  step: Extract<StoredStep, { type: 'WAIT_FOR_EVENT' }> | null,
): string {
  const event = step?.eventName ?? 'an event'
  const branch = result?.next === 'go-on' ? result.branch : undefined
  if (branch === RECEIVED) return `Waited for ${event}; received it.`
  if (branch === TIMED_OUT) return `Waited for ${event}; timed out.`
  return `Waits for ${event}${until ? ` until ${until.toISOString()}` : ''}.`
}

function waitSentence({ detail }: Decision): string {
  const { until } = detail
  return typeof until === 'string' ? `Waits until ${until}.` : 'Has no time to wait for.'
}

function webhookSentence({ detail, finishedAt, until }: Decision): string {
  const { status, problem, isDone } = detail
  const outcome =
    typeof status === 'number'
      ? `the server answered ${status}`
      : typeof problem === 'string'
        ? problem
        : 'no response yet'
  if (isDone === true) return `Called the webhook: ${outcome}.`
  if (finishedAt) return `The webhook failed: ${outcome}. The enrollment continued.`
  return `Calls the webhook: ${outcome}${until ? `. Next attempt at ${until.toISOString()}` : ''}.`
}
