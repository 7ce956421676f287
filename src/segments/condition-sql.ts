import type { Compared, ConditionField, ConditionOf, EventDataPart, ResolvedCondition } from './condition.ts'
import { compareJson, compareText, compareTime, jsonKey, jsonPath, type Bind } from './comparison-sql.ts'
import { didEvent, hasActivity, hasMessage, hasTag, isInList, type LookUp } from './lookup-sql.ts'
import { emailKey } from '../platform/email-address.ts'
import type { ComparedPart } from './compared-values.ts'

/** A source of JSON data: a value, which is bound, or a column of the statement, such as `event.data`. */
type JsonSource = { value: unknown } | { column: string }

export interface ConditionContext {
  /** The workspace of the contacts. */
  workspaceId: string
  /** The instant to which relative dates and time windows refer. */
  at: Date
  /** The data of the event at hand. Without it, every key of it is missing. */
  eventData?: JsonSource | undefined
  /** An object with the data that each step saved, by the name of the step. Without it, every key of it is missing. */
  stepData?: JsonSource | undefined
  /**
   * Whether the statement reads few contacts: one, or a page of a known size. Then each subquery uses the indexes of the
   * contact. Otherwise Postgres may read all rows that a subquery needs at once, which is faster for many contacts.
   */
  isForFew?: boolean
}

/**
 * Compiles a condition to SQL about the row `contact`, which is never null. Every value is a bound parameter, including metadata
 * keys and the instant.
 *
 * @param parameters receives the values. The SQL refers to them by position, so it may contain other values before
 */
export function conditionSql(condition: ResolvedCondition, parameters: unknown[], context: ConditionContext): string {
  const { at, workspaceId } = context
  const bind: Bind = (value) => `$${parameters.push(value)}`
  const eventData = columnOf(bind, context.eventData)
  const stepData = columnOf(bind, context.stepData)
  let workspace: string | undefined
  const lookUp: LookUp = {
    bind,
    workspaceId: () => (workspace ??= `${bind(workspaceId)}::uuid`),
    instant: at,
    fence: fenceOf(condition, context),
  }

  return tree(condition, (part) => {
    if ('field' in part) return compareField(bind, at, part.field, part)
    if ('metadata' in part) return compareJson(bind, at, jsonKey(bind, 'contact.metadata', part.metadata), part)
    if ('eventData' in part) return compareJson(bind, at, jsonPath(bind, eventData(), part.eventData), part)
    if ('stepData' in part) return compareJson(bind, at, jsonPath(bind, stepData(), part.stepData), part)
    if ('tag' in part) return hasTag(lookUp, part.tag)
    if ('list' in part) return isInList(lookUp, part.list)
    if ('activity' in part) return hasActivity(lookUp, part)
    if ('message' in part) return hasMessage(lookUp, part)
    return didEvent(lookUp, part, part.where === undefined ? '' : filterSql(part.where, bind, at))
  })
}

/** Compiles the values that parts of conditions compare, as a JSON array. */
export function comparedSql(parts: readonly ComparedPart[], parameters: unknown[], context: ConditionContext): string {
  const bind: Bind = (value) => `$${parameters.push(value)}`
  const eventData = columnOf(bind, context.eventData)
  const stepData = columnOf(bind, context.stepData)
  const each = parts.map((part) => {
    if ('field' in part) return `to_jsonb(${FIELD_COLUMNS[part.field]})`
    if ('metadata' in part) return jsonKey(bind, 'contact.metadata', part.metadata)
    if ('eventData' in part) return jsonPath(bind, eventData(), part.eventData)
    return jsonPath(bind, stepData(), part.stepData)
  })
  return `jsonb_build_array(${each.join(', ')})`
}

const FIELD_COLUMNS: Readonly<Record<ConditionField, string>> = {
  email: 'contact.email',
  firstName: 'contact.first_name',
  createdAt: 'contact.created_at',
  updatedAt: 'contact.updated_at',
}

const filterSql = (filter: ConditionOf<EventDataPart>, bind: Bind, at: Date): string =>
  tree(filter, (part) => compareJson(bind, at, jsonPath(bind, 'event.data', part.eventData), part))

type Group = { all: unknown } | { any: unknown } | { not: unknown }

function tree<Part extends object>(
  condition: ConditionOf<Part>,
  compile: (part: Exclude<Part, Group>) => string,
): string {
  if ('all' in condition) return joined(condition.all, ' and ', 'true', compile)
  if ('any' in condition) return joined(condition.any, ' or ', 'false', compile)
  if ('not' in condition) return `(not ${tree(condition.not, compile)})`
  return compile(condition as Exclude<Part, Group>)
}

const joined = <Part extends object>(
  conditions: ConditionOf<Part>[],
  word: string,
  empty: string,
  compile: (part: Exclude<Part, Group>) => string,
): string => (conditions.length === 0 ? empty : `(${conditions.map((each) => tree(each, compile)).join(word)})`)

function compareField(bind: Bind, at: Date, name: ConditionField, { is, value }: Compared): string {
  switch (name) {
    case 'email':
      return compareText(bind, 'contact.email_key', { is, value: emailKey(String(value)) })
    case 'firstName':
      return compareText(bind, 'contact.first_name', value === undefined ? { is } : { is, value })
    case 'createdAt':
      return compareTime(bind, at, 'contact.created_at', value === undefined ? { is } : { is, value })
    case 'updatedAt':
      return compareTime(bind, at, 'contact.updated_at', value === undefined ? { is } : { is, value })
  }
}

/** SQL of the data. A value is bound when it is first used. */
function columnOf(bind: Bind, source: JsonSource | undefined): () => string {
  if (source === undefined) return () => 'null::jsonb'
  if ('column' in source) return () => source.column
  let column: string | undefined
  return () => (column ??= `${bind(JSON.stringify(source.value ?? null))}::jsonb`)
}

/** The maximum number of subqueries that Postgres may turn into joins. It tries all orders of fewer than twelve. */
const MAX_JOINS = 8

/**
 * Postgres plans a few subqueries as joins, which is fastest for many contacts. `offset 0` prevents it. Planning many joins would
 * take seconds, and hundreds of megabytes.
 */
const fenceOf = (condition: ResolvedCondition, { isForFew = false }: ConditionContext): string =>
  isForFew || countLookUps(condition) > MAX_JOINS ? 'offset 0' : ''

const LOOK_UPS = ['tag', 'list', 'activity', 'message', 'event']

function countLookUps(part: ResolvedCondition): number {
  if ('all' in part) return part.all.reduce((sum, each) => sum + countLookUps(each), 0)
  if ('any' in part) return part.any.reduce((sum, each) => sum + countLookUps(each), 0)
  if ('not' in part) return countLookUps(part.not)
  return LOOK_UPS.some((form) => form in part) ? 1 : 0
}
