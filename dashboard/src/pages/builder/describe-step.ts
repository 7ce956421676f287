import { describeCondition, type Names } from '../../components/conditions/describe-condition.ts'
import { count, duration } from '../../lib/format.ts'
import type { ExitRule } from './draft.ts'
import { problemOf } from './problems.ts'
import { branchesOf } from './step-tree.ts'
import { STEP_TYPES } from './step-types.ts'
import type { SplitStep, Step, StepType, UpdateContactStep, WaitTarget, WaitUntilStep, Weekday } from './steps.ts'

/** The title of a step: its name, or what it does. */
export const titleOf = (step: Step, names: Names): string => nameOf(step) ?? actionOf(step, names)

/** The second line of a step: what is wrong, what a named step does, or its type. */
export function detailOf(step: Step, names: Names): string {
  const problem = problemOf(step)
  if (problem !== undefined) return problem
  if (nameOf(step) !== undefined) return actionOf(step, names)
  return (DETAILS[step.type] as ((step: Step) => string | undefined) | undefined)?.(step) ?? STEP_TYPES[step.type].label
}

/** The action of a step: "Wait 2 days". */
export const actionOf = (step: Step, names: Names): string =>
  (ACTIONS[step.type] as (step: Step, names: Names) => string)(step, names)

const nameOf = ({ name }: Step): string | undefined => (name?.trim() ? name : undefined)

const ACTIONS: { [Type in StepType]: (step: Extract<Step, { type: Type }>, names: Names) => string } = {
  EMAIL: ({ subject }) => subject || 'No subject',
  WAIT: ({ delayMinutes }) => `Wait ${duration(delayMinutes)}`,
  WAIT_UNTIL: waitUntilText,
  WAIT_FOR_EVENT: ({ eventName }) => `Wait for ${eventName || 'an event'}`,
  CONDITION: ({ branches }, names) =>
    branches.length === 1
      ? capitalized(`${describeCondition(branches[0]!.if, names)}?`)
      : `Which of ${count(branches.length + 1)} branches?`,
  SPLIT: (step) => `Split ${shares(step).join(' / ')}`,
  UPDATE_CONTACT: updateText,
  WEBHOOK: ({ method, url }) => `${method} ${url.replace(/^https?:\/\//, '') || '…'}`,
  EXIT: () => 'Exit',
}

const DETAILS: { [Type in StepType]?: (step: Extract<Step, { type: Type }>) => string | undefined } = {
  WAIT_FOR_EVENT: ({ timeoutMinutes, filter }) => `Up to ${duration(timeoutMinutes)}${filter ? ', filtered' : ''}`,
  CONDITION: () => 'The first branch that matches is taken',
  SPLIT: (step) => `${branchesOf(step).length} branches, at random`,
}

/** The shares of the branches of a split: "50%". */
export function shares({ branches }: SplitStep): string[] {
  const sum = branches.reduce((total, { weight }) => total + weight, 0)
  return branches.map(({ weight }) => `${sum === 0 ? 0 : Math.round((100 * weight) / sum)}%`)
}

export const WEEKDAY_LABELS: Readonly<Record<Weekday, string>> = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
}

function waitUntilText({ until, timezone }: WaitUntilStep): string {
  const words = [dateText(until), weekdayText(until.weekdays ?? []), until.timeOfDay].filter(Boolean)
  if (words.length === 0) return 'Wait until …'
  return `Until ${words.join(', ')}, ${timezone === 'contact' ? 'their time' : timezone}`
}

function dateText({ at, field, offsetMinutes = 0 }: WaitTarget): string {
  if (at !== undefined) return at.replace('T', ', ') || '…'
  if (field === undefined) return ''
  const name = field.replace(/^(contact\.metadata|contact|event\.data)\./, '')
  const date = name === 'createdAt' ? 'creation' : name || '…'
  if (offsetMinutes === 0) return date
  return `${duration(Math.abs(offsetMinutes))} ${offsetMinutes < 0 ? 'before' : 'after'} ${date}`
}

const WORKDAYS = 'MON TUE WED THU FRI'

function weekdayText(weekdays: readonly Weekday[]): string {
  if (weekdays.length === 0 || weekdays.length === 7) return ''
  const known = Object.keys(WEEKDAY_LABELS).filter((day) => weekdays.includes(day as Weekday))
  if (known.join(' ') === WORKDAYS) return 'a weekday'
  if (known.join(' ') === 'SAT SUN') return 'the weekend'
  const labels = known.map((day) => WEEKDAY_LABELS[day as Weekday])
  return labels.length === 1 ? labels.join() : labels.map((label) => label.slice(0, 3)).join('/')
}

function updateText(
  { set, addTags, removeTags, addToLists, removeFromLists }: UpdateContactStep,
  names: Names,
): string {
  const quoted = (label: string, items: readonly string[] = []) =>
    items.length === 0 ? [] : [`${label} ${items.join(', ')}`]
  const lists = (ids: readonly string[] = []) => ids.map((id) => names.list(id) ?? 'a deleted list')
  const changes = [
    ...quoted('add tag', addTags),
    ...quoted('remove tag', removeTags),
    ...quoted('add to', lists(addToLists)),
    ...quoted('remove from', lists(removeFromLists)),
    ...quoted('set', [...(set?.firstName === undefined ? [] : ['first name']), ...Object.keys(set?.metadata ?? {})]),
  ]
  return changes.length === 0 ? 'Update contact' : capitalized(changes.join(', '))
}

/** The sentence of a branch: its condition or share. @returns `undefined` if its name is enough */
export function branchSentence(step: Step, branch: number, names: Names): string | undefined {
  if (step.type === 'CONDITION') {
    const own = step.branches[branch]
    return own ? `If ${describeCondition(own.if, names)}` : 'All other contacts'
  }
  return step.type === 'SPLIT' ? shares(step)[branch] : undefined
}

export function leaveRuleText(rule: ExitRule, names: Names): string {
  if ('event' in rule) return 'the contact unsubscribes'
  if ('condition' in rule) return describeCondition(rule.condition, names)
  const filter = rule.filter ? ` where ${describeCondition(rule.filter, names)}` : ''
  return `${rule.eventName || 'an event'}${filter}`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
