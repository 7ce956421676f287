import type { Activity, Comparison, Condition, ConditionField, ConditionValue } from './condition.ts'
import { foldName } from '../triggers/index.ts'
import { emailKey } from '../platform/email-address.ts'
import { isId } from '../platform/ids.ts'
import { timestampForPostgres } from '../platform/timestamp.ts'

/**
 * Compiles a condition to SQL about the row `contact`. Every value is a bound parameter, including metadata keys.
 *
 * @param parameters receives the values. The SQL refers to them by position, so it may contain other values before
 */
export function conditionSql(condition: Condition, parameters: unknown[]): string {
  const bind = (value: unknown): string => `$${parameters.push(value)}`
  // Postgres plans a few of them as joins, which is fastest. Planning many would take seconds and hundreds of megabytes.
  const fence = countLookUps(condition) > MAX_JOINS ? 'offset 0' : ''
  const exists = (rest: string): string => `exists (select ${rest} ${fence})`

  const of = (part: Condition): string => {
    if ('all' in part) return part.all.length === 0 ? 'true' : `(${part.all.map(of).join(' and ')})`
    if ('any' in part) return part.any.length === 0 ? 'false' : `(${part.any.map(of).join(' or ')})`
    if ('not' in part) return `not ${of(part.not)}`
    if ('field' in part) return field(part.field, part.is, part.value)
    if ('metadata' in part) return json('contact.metadata', part.metadata, part.is, part.value)
    if ('tag' in part) {
      return exists(
        `from contact_tags tag where tag.contact_id = contact.id and tag.workspace_id = contact.workspace_id
           and tag.tag_key = ${bind(foldName(part.tag))}`,
      )
    }
    if ('list' in part) {
      if (!isId(part.list)) return 'false'
      return exists(
        `from list_members member where member.contact_id = contact.id and member.list_id = ${bind(part.list)}::uuid`,
      )
    }
    if ('event' in part) {
      return exists(`
        from trigger_events event
        where event.contact_id = contact.id and event.workspace_id = contact.workspace_id and event.type = 'EVENT'
          and event.name_key = ${bind(foldName(part.event))}
          ${part.data === undefined ? '' : `and ${json('event.data', part.data, part.is, part.value)}`}
          ${within('event.created_at', part.withinDays)}`)
    }
    const { automation, campaign } = part
    if ([automation, campaign].some((id) => id !== undefined && !isId(id))) return 'false'
    return exists(`
      from messages message
      where message.contact_id = contact.id and message.workspace_id = contact.workspace_id
        ${activity(part.activity, part.withinDays)}
        ${automation === undefined ? '' : `and message.automation_id = ${bind(automation)}::uuid`}
        ${campaign === undefined ? '' : `and message.campaign_id = ${bind(campaign)}::uuid`}`)
  }

  const within = (column: string, days: number | undefined): string =>
    days === undefined ? '' : `and ${column} > now() - make_interval(secs => ${bind(days * 86_400)}::float8)`

  /** Opens and clicks count from their own time, not from the time of the message. */
  const activity = (what: Activity, days: number | undefined): string => {
    if (what === 'OPENED') return `and message.opened_at is not null ${within('message.opened_at', days)}`
    if (what === 'CLICKED') return `and message.clicked_at is not null ${within('message.clicked_at', days)}`
    return `and message.status = ${bind(what)} ${within('message.created_at', days)}`
  }

  const field = (name: ConditionField, is: Comparison, value: ConditionValue | undefined): string => {
    switch (name) {
      case 'email':
        return text('contact.email_key', is, emailKey(String(value)))
      case 'firstName':
        return text('contact.first_name', is, value)
      case 'createdAt':
        return ordered('contact.created_at', is, () => `${bind(timestampForPostgres(String(value)))}::timestamptz`)
      case 'updatedAt':
        return ordered('contact.updated_at', is, () => `${bind(timestampForPostgres(String(value)))}::timestamptz`)
    }
  }

  const json = (column: string, key: string, is: Comparison, value: ConditionValue | undefined): string => {
    const at = `${column} -> ${bind(key)}::text`
    const asText = () => `${column} ->> ${bind(key)}::text`
    if (is === 'missing') return `(${at}) is null`
    if (is === 'present') return `(${at}) is not null`
    if (is === 'equal') return `coalesce((${at}) = ${bind(JSON.stringify(value))}::jsonb, false)`
    if (typeof value === 'number') {
      // CSV files contain only strings.
      const isNumber = `jsonb_typeof(${at}) = 'number' or (jsonb_typeof(${at}) = 'string' and (${asText()}) ~ '${A_NUMBER}')`
      return `(case when ${isNumber} then ${ordered(`(${asText()})::numeric`, is, () => `${bind(value)}::numeric`)} else false end)`
    }
    return `(case when jsonb_typeof(${at}) = 'string' then ${text(asText(), is, value)} else false end)`
  }

  const text = (column: string, is: Comparison, value: ConditionValue | undefined): string => {
    switch (is) {
      case 'contains':
        return `coalesce(position(${bind(value)} in ${column}) > 0, false)`
      case 'startsWith':
        return `coalesce(starts_with(${column}, ${bind(value)}), false)`
      case 'endsWith':
        return `coalesce(right(${column}, length(${bind(value)})) = $${parameters.length}, false)`
      case 'equal':
      case 'less':
      case 'more':
      case 'present':
      case 'missing':
        return ordered(column, is, () => `${bind(value)}::text`)
    }
  }

  const ordered = (column: string, is: Comparison, value: () => string): string => {
    switch (is) {
      case 'equal':
        return `coalesce(${column} = ${value()}, false)`
      case 'less':
        return `coalesce(${column} < ${value()}, false)`
      case 'more':
        return `coalesce(${column} > ${value()}, false)`
      case 'present':
        return `${column} is not null`
      case 'missing':
        return `${column} is null`
      // `readCondition` rejects these here.
      case 'contains':
      case 'startsWith':
      case 'endsWith':
        return 'false'
    }
  }

  return of(condition)
}

/**
 * A number as people write it, short enough to parse quickly. ASCII only: other digits and spaces depend on the database's
 * locale, and Postgres does not convert them to numbers.
 */
const A_NUMBER = String.raw`^ *[-+]?[0-9]{1,30}(\.[0-9]{1,30})? *$`

/** The maximum number of subqueries that Postgres may turn into joins. It tries all orders of fewer than twelve. */
const MAX_JOINS = 8

function countLookUps(part: Condition): number {
  if ('all' in part) return part.all.reduce((sum, each) => sum + countLookUps(each), 0)
  if ('any' in part) return part.any.reduce((sum, each) => sum + countLookUps(each), 0)
  if ('not' in part) return countLookUps(part.not)
  return 'field' in part || 'metadata' in part ? 0 : 1
}
