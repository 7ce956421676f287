import { isIncomplete } from '../../components/conditions/condition.ts'
import type { AutomationDraft, EntryRules, ExitRule } from './draft.ts'
import { indexTree } from './step-tree.ts'
import type { ConditionStep, EmailStep, SplitStep, Step, StepType, WaitUntilStep, WebhookStep } from './steps.ts'

/** The longest wait: ten years. */
export const MAX_WAIT_DAYS = 3_660
const MAX_MINUTES = MAX_WAIT_DAYS * 1_440

const isEmpty = (text: string | null | undefined): boolean => (text ?? '').trim() === ''

type Problem = string | undefined
type Check<Type extends StepType> = (step: Extract<Step, { type: Type }>) => Problem

const CHECKS: { [Type in StepType]: Check<Type> } = {
  EMAIL: emailProblem,
  WAIT: ({ delayMinutes }) => waitProblem(delayMinutes),
  WAIT_UNTIL: waitUntilProblem,
  WAIT_FOR_EVENT({ eventName, filter, timeoutMinutes }) {
    if (isEmpty(eventName)) return 'Enter the event to wait for'
    if (filter && isIncomplete(filter)) return 'Complete the filter'
    return waitProblem(timeoutMinutes)
  },
  CONDITION: conditionProblem,
  SPLIT: splitProblem,
  UPDATE_CONTACT({ set, addTags, removeTags, addToLists, removeFromLists }) {
    const lists = [addTags, removeTags, addToLists, removeFromLists]
    const hasChange = lists.some((list) => list && list.length > 0) || (set && Object.keys(set).length > 0)
    return hasChange ? undefined : 'Choose at least one change'
  },
  WEBHOOK: webhookProblem,
  EXIT: () => undefined,
}

function emailProblem({ templateId, subject, html, text, design }: EmailStep): Problem {
  if (templateId !== null) return undefined
  if (isEmpty(subject)) return 'Add a subject'
  if (design) return design.blocks.length === 0 ? 'Design the email' : undefined
  return isEmpty(html) && isEmpty(text) ? 'Add plain text or HTML' : undefined
}

function waitProblem(minutes: number): Problem {
  if (minutes > MAX_MINUTES) return `The wait can’t be longer than ${MAX_WAIT_DAYS.toLocaleString('en')} days`
  return minutes >= 1 ? undefined : 'The wait must be at least 1 minute'
}

const DATE_FIELD = /^(contact\.createdAt|(contact\.metadata|event\.data)\..+)$/

function waitUntilProblem({ until, timezone }: WaitUntilStep): Problem {
  const { at, field, timeOfDay, weekdays } = until
  if (at === '') return 'Choose a date'
  if (field !== undefined && !DATE_FIELD.test(field)) return 'Choose a date field'
  if (isEmpty(timezone)) return 'Choose a time zone'
  const hasTarget = at !== undefined || field !== undefined || timeOfDay !== undefined || (weekdays?.length ?? 0) > 0
  return hasTarget ? undefined : 'Choose a date, a time or a weekday'
}

function conditionProblem({ branches }: ConditionStep): Problem {
  const unnamed = branches.findIndex(({ name }) => isEmpty(name))
  if (unnamed !== -1) return `Name branch ${unnamed + 1}`
  const incomplete = branches.find((branch) => isIncomplete(branch.if))
  return incomplete && `Complete the condition of “${incomplete.name}”`
}

function splitProblem({ branches }: SplitStep): Problem {
  if (branches.some(({ name }) => isEmpty(name))) return 'Name every branch'
  return branches.some(({ weight }) => weight > 0) ? undefined : 'Give at least one branch a weight above 0'
}

function webhookProblem({ url }: WebhookStep): Problem {
  if (isEmpty(url)) return 'Enter a URL'
  return /^https?:\/\/[^\s@]+$/.test(url.trim()) ? undefined : 'Enter a URL that begins with https:// or http://'
}

const problems = new WeakMap<Step, { problem: Problem }>()

/** Returns why a step cannot be published, apart from the steps in its branches. */
export function problemOf(step: Step): Problem {
  const known = problems.get(step)
  if (known) return known.problem
  const problem = (CHECKS[step.type] as (step: Step) => Problem)(step)
  problems.set(step, { problem })
  return problem
}

function leaveRuleProblem(rule: ExitRule, name: string): Problem {
  if ('event' in rule) return undefined
  if ('condition' in rule) return isIncomplete(rule.condition) ? `Complete the condition of the ${name}` : undefined
  if (isEmpty(rule.eventName)) return `Enter the event of the ${name}`
  return rule.filter && isIncomplete(rule.filter) ? `Complete the filter of the ${name}` : undefined
}

function entryProblem({ filter, concurrency }: EntryRules): Problem {
  if (filter && isIncomplete(filter)) return 'Complete the entry filter'
  return typeof concurrency === 'object' && !/^event\.data\..+/.test(concurrency.key)
    ? 'Enter the event property for concurrent enrollments'
    : undefined
}

/** The field that each trigger needs. */
const TRIGGER_CHECKS: Readonly<Record<AutomationDraft['trigger'], [field: string, problem: string] | undefined>> = {
  SIGNUP: undefined,
  LIST_ADDED: ['listId', 'Choose a list'],
  LIST_REQUESTED: ['listId', 'Choose a list'],
  TAG_ADDED: ['tagName', 'Enter a tag'],
  EVENT: ['eventName', 'Enter an event'],
  SEGMENT_ENTERED: ['segmentId', 'Choose a segment'],
  DATE: ['field', 'Choose a date'],
}

/** Returns why the trigger or the entry rules are incomplete. */
export function triggerProblem({ trigger, triggerConfig, entry }: AutomationDraft): Problem {
  const [field, problem] = TRIGGER_CHECKS[trigger] ?? []
  const value = field === undefined ? undefined : triggerConfig[field]
  if (field !== undefined && (typeof value !== 'string' || isEmpty(value))) return problem
  return entryProblem(entry)
}

/** Returns why the exit rules or the goal are incomplete. */
export const endProblem = ({ exitOn, goal }: AutomationDraft): Problem =>
  exitOn.map((rule) => leaveRuleProblem(rule, 'exit rule')).find((problem) => problem !== undefined) ??
  (goal ? leaveRuleProblem(goal, 'goal') : undefined)

export interface FoundProblem {
  /** The place to fix it: a step, `trigger` or `end`. */
  at: string
  /** Such as "Step 3". */
  name: string
  problem: string
}

/** Finds the first reason why a draft cannot be published. */
export function findProblem(draft: AutomationDraft): FoundProblem | undefined {
  const { steps } = draft
  const entering = triggerProblem(draft)
  if (entering !== undefined) return { at: 'trigger', name: 'Trigger', problem: entering }
  if (steps.length === 0) return { at: 'trigger', name: 'Automation', problem: 'Add at least one step' }
  const tree = indexTree(steps)
  const names = new Map<string, string>()
  for (const id of tree.order) {
    const found = tree.find(id)
    if (!found) continue
    const { step, number } = found
    const name = step.name?.trim() ?? ''
    const problem = problemOf(step) ?? (names.has(name) ? `The name “${name}” is taken by another step` : undefined)
    if (problem !== undefined) return { at: id, name: `Step ${number}`, problem }
    if (name !== '') names.set(name, id)
  }
  const leaving = endProblem(draft)
  return leaving === undefined ? undefined : { at: 'end', name: 'End', problem: leaving }
}
