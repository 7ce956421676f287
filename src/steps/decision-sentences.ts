import { describeDelay, ELSE, RECEIVED, type StoredStep, TIMED_OUT } from '../automation-engine/index.ts'
import type { EndCause, OtherCause } from '../enrollments/index.ts'
import type { ComparedValue } from '../segments/index.ts'
import type { Decision } from './decision-queries.ts'

type Stored<Type extends StoredStep['type']> = Extract<StoredStep, { type: Type }>

const ENTRY_SENTENCES: Record<string, string> = {
  FILTER: 'Was not enrolled: the entry filter did not match.',
  REENTRY: 'Was not enrolled: the re-entry rule does not allow another enrollment now.',
  KEY: 'Was not enrolled: the event has no usable concurrency key.',
  LOOP: 'Was not enrolled: too many automations started each other.',
  PAUSED: 'Was not enrolled: the automation was paused.',
  TRIGGERS_OFF: 'Was not enrolled: a request changed the contact with `triggers: false`.',
}

/** The name of the branch that a finished step took; `null` if it has no branches. */
export function branchOf({ step, result }: Pick<Decision, 'step' | 'result'>): string | null {
  const branch = result?.next === 'continue' ? result.branch : undefined
  if (branch === undefined) return null
  const branches = step && 'branches' in step ? (step.branches as readonly { name?: string }[]) : []
  return branches[Number(branch)]?.name ?? branch
}

/** Describes a decision in a sentence. Callers first remove the details that a client may not read. */
export function sentenceOf(decision: Decision): string {
  const { kind, rule, stepType, step, until } = decision
  if (kind === 'END') return endSentence(decision)
  if (kind === 'ENTRY') return ENTRY_SENTENCES[rule!]!
  if (kind === 'EMAIL') return `The email was not sent: ${(rule ?? 'sending failed').replace(/\.$/, '')}.`
  switch (stepType) {
    case 'CONDITION':
      return conditionSentence(decision)
    case 'SPLIT':
      return splitSentence(decision, step as Stored<'SPLIT'> | null)
    case 'WAIT_FOR_EVENT':
      return eventSentence(decision, step as Stored<'WAIT_FOR_EVENT'> | null)
    case 'WAIT_UNTIL':
      return waitSentence(decision, step as Stored<'WAIT_UNTIL'> | null)
    case 'WEBHOOK':
      return webhookSentence(decision, step as Stored<'WEBHOOK'> | null)
    case 'UPDATE_CONTACT':
      return updateSentence(decision, step as Stored<'UPDATE_CONTACT'> | null)
    case 'EMAIL':
    case 'WAIT':
    case 'EXIT':
    case null:
      return until ? `Waits until ${until.toISOString()}.` : 'Ran the step.'
  }
}

/** Describes why an enrollment ended before its last step. */
export function endSentence({ rule: status, detail }: Pick<Decision, 'rule' | 'detail'>): string {
  const cause = detail as unknown as EndCause
  if (!('cause' in cause)) {
    const why =
      'eventName' in cause
        ? `received ${cause.eventName}`
        : 'event' in cause
          ? 'the contact opted out'
          : 'a condition was true'
    return status === 'GOAL_REACHED' ? `Reached the goal: ${why}.` : `Exited by an exit rule: ${why}.`
  }
  if (cause.cause === 'REQUEST')
    return `Was cancelled by ${cause.requestId === null ? 'a request' : `the request ${cause.requestId}`}.`
  if (cause.cause === 'PUBLISHED')
    return `Was cancelled: version ${cause.version} was published, and contacts in older versions were ended.`
  if (cause.cause === 'STEP_REMOVED')
    return `Was cancelled: version ${cause.version} does not have the step at which the contact was.`
  return END_SENTENCES[cause.cause]
}

const END_SENTENCES: Record<OtherCause | 'CONFIRMED_LIST', string> = {
  CONFIRMED_LIST: 'Was cancelled: the contact confirmed the subscription to the list.',
  EXIT_STEP: 'Exited at a step.',
  EMAIL_REJECTED: 'Stopped: an email was rejected.',
  AUTOMATION_DELETED: 'Was cancelled: the automation was deleted.',
  WORKFLOW_ENDED: 'Was cancelled: its workflow was ended in Temporal.',
  ENROLLED_AGAIN: 'Was cancelled: a newer request for confirmation replaced it.',
  STEP_NOT_RESTORED: 'Was cancelled: its step is missing from the restored database.',
  RULE_NOT_RESTORED: 'Ended by a goal or an exit rule that is missing from the restored database.',
}

function conditionSentence(decision: Decision): string {
  const branch = branchOf(decision)
  if (branch === null) return 'Chooses a branch.'
  const chosen =
    branch === ELSE
      ? 'Took the else branch: no condition matched.'
      : `Took the branch “${branch}”: its condition was the first that matched.`
  const { values = [] } = decision.detail as { values?: readonly ComparedValue[] }
  const compared = comparedText(values)
  return compared === '' ? chosen : `${chosen} Compared: ${compared}.`
}

/** Lists values that a condition compared, such as `plan “pro”, seats 4`. */
export const comparedText = (values: readonly ComparedValue[]): string =>
  values.map(({ name, value }) => `${shortName(name)} ${valueText(value)}`).join(', ')

const shortName = (name: string): string => name.replace(/^(contact\.metadata|contact|event\.data|steps)\./, '')

function valueText(value: unknown): string {
  if (value === null) return 'missing'
  return typeof value === 'string' ? `“${value}”` : JSON.stringify(value)
}

function splitSentence(decision: Decision, step: Stored<'SPLIT'> | null): string {
  const branch = branchOf(decision)
  if (branch === null) return 'Chooses a branch.'
  const { result } = decision
  const weights = step?.branches.map(({ weight }) => weight) ?? []
  const weight = weights[Number(result?.next === 'continue' ? result.branch : undefined)]
  const share = weight === undefined ? '' : `, which ${percentage(weight, weights)} of contacts take`
  return `Took the branch “${branch}” of the random split${share}.`
}

const percentage = (weight: number, weights: readonly number[]): string =>
  `${Math.round((weight / weights.reduce((a, b) => a + b, 0)) * 1_000) / 10}%`

function eventSentence(
  { result, until, at, finishedAt, enrollmentEndedAt }: Decision,
  step: Stored<'WAIT_FOR_EVENT'> | null,
): string {
  const event = `${step?.eventName ?? 'an event'}${step?.filter ? ' that matches the filter' : ''}`
  const branch = result?.next === 'continue' ? result.branch : undefined
  const limit = step ? describeDelay(step.timeoutMinutes) : undefined
  if (branch === RECEIVED) return `Waited for ${event}; received it${finishedAt ? ` ${waited(at, finishedAt)}` : ''}.`
  if (branch === TIMED_OUT) return `Waited for ${event}; timed out${limit ? ` after ${limit}` : ''}.`
  if (enrollmentEndedAt) return `Waited for ${event} until the enrollment ended.`
  return `Waits for ${event}${until ? ` until ${until.toISOString()}` : ''}${limit ? `, at most ${limit}` : ''}.`
}

function waited(since: Date, until: Date): string {
  const minutes = Math.floor((until.getTime() - since.getTime()) / 60_000)
  return minutes < 1 ? 'within a minute' : `after ${describeDelay(minutes)}`
}

function waitSentence({ detail, result, enrollmentEndedAt }: Decision, step: Stored<'WAIT_UNTIL'> | null): string {
  const until = typeof detail['until'] === 'string' ? detail['until'] : undefined
  const target = step ? targetText(step, detail['timezone']) : ''
  const time = until === undefined ? Infinity : Date.parse(until)
  const wasCut = enrollmentEndedAt !== null && enrollmentEndedAt.getTime() < time
  const verb = wasCut ? 'Was to wait' : time <= Date.now() ? 'Waited' : 'Waits'
  if (result?.next === 'wait') return `${verb} until ${until}${target && `: ${target}`}.`
  const reason = until === undefined ? 'There is no time to wait for' : `The time ${until} was in the past`
  const next = result?.next === 'end' ? 'the contact left the automation' : 'the contact continued'
  return `${reason}${target && ` (${target})`}, so ${next}.`
}

const WEEKDAY_NAMES = {
  MON: 'Monday',
  TUE: 'Tuesday',
  WED: 'Wednesday',
  THU: 'Thursday',
  FRI: 'Friday',
  SAT: 'Saturday',
  SUN: 'Sunday',
}

type WeekdayKey = keyof typeof WEEKDAY_NAMES
const WORKDAYS = 'MON TUE WED THU FRI'

function weekdaysText(days: readonly WeekdayKey[]): string {
  const inOrder = Object.keys(WEEKDAY_NAMES).filter((day) => days.includes(day as WeekdayKey))
  if (inOrder.length === 7) return 'any day'
  return inOrder.join(' ') === WORKDAYS ? 'weekdays' : days.map((day) => WEEKDAY_NAMES[day]).join(' or ')
}

/** Describes a target: "2 days before contact.metadata.renewal, at 09:00, on Monday or Friday, in Europe/Paris". */
function targetText(
  { until: { at, field, offsetMinutes = 0, timeOfDay, weekdays } }: Stored<'WAIT_UNTIL'>,
  zone: unknown,
) {
  const offset =
    offsetMinutes === 0 ? '' : `${describeDelay(Math.abs(offsetMinutes))} ${offsetMinutes < 0 ? 'before' : 'after'} `
  return [
    ...(at === undefined ? [] : [`${offset}${at.replace('T', ' ')}`]),
    ...(field === undefined ? [] : [`${offset}${field}`]),
    ...(timeOfDay === undefined ? [] : [`at ${timeOfDay}`]),
    ...(weekdays === undefined ? [] : [`on ${weekdaysText(weekdays)}`]),
    ...(typeof zone === 'string' ? [`in ${zone}`] : []),
  ].join(', ')
}

function updateSentence({ detail, finishedAt }: Decision, step: Stored<'UPDATE_CONTACT'> | null): string {
  if (!finishedAt) return 'Updates the contact.'
  const { set, addTags = [], removeTags = [], addToLists = [], removeFromLists = [] } = step ?? {}
  const fields = [...(set?.firstName === undefined ? [] : ['firstName']), ...Object.keys(set?.metadata ?? {})]
  const changes = [
    ...(fields.length === 0 ? [] : [`set ${fields.join(', ')}`]),
    ...(addTags.length === 0 ? [] : [`added the tag ${addTags.join(', ')}`]),
    ...(removeTags.length === 0 ? [] : [`removed the tag ${removeTags.join(', ')}`]),
    ...(addToLists.length === 0 ? [] : [`added to ${listCount(addToLists)}`]),
    ...(removeFromLists.length === 0 ? [] : [`removed from ${listCount(removeFromLists)}`]),
  ]
  const { skipped } = detail as { skipped?: readonly string[] }
  const rest = skipped?.length ? ` Skipped: ${skipped.map((each) => each.replace(/\.$/, '')).join('; ')}.` : ''
  return `Updated the contact${changes.length === 0 ? '' : `: ${changes.join('; ')}`}.${rest}`
}

const listCount = (lists: readonly string[]): string => `${lists.length} ${lists.length === 1 ? 'list' : 'lists'}`

function webhookSentence({ detail, finishedAt, until }: Decision, step: Stored<'WEBHOOK'> | null): string {
  const { status, problem, isDone, attempt } = detail
  // A URL can contain a secret.
  const host = step && URL.canParse(step.url) ? ` at ${new URL(step.url).host}` : ''
  const attempts = typeof attempt === 'number' && attempt > 1 ? ` (attempt ${attempt})` : ''
  const known =
    typeof status === 'number'
      ? `the server answered ${status}${attempts}`
      : typeof problem === 'string'
        ? `${problem}${attempts}`
        : undefined
  const outcome = known === undefined ? '' : `: ${known}`
  if (isDone === true) return `Called the webhook${host}${outcome}.`
  if (finishedAt) return `The webhook${host} failed${outcome}. The contact continued.`
  const next = until ? ` Next attempt at ${until.toISOString()}.` : ''
  return `Calls the webhook${host}${known === undefined ? ': no response yet' : outcome}.${next}`
}
