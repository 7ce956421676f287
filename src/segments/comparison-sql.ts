import { timestampForPostgres } from '../platform/timestamp.ts'
import type { Compared } from './condition.ts'
import { durationMs } from './duration.ts'

/** Adds a value to the parameters of a statement. @returns its placeholder */
export type Bind = (value: unknown) => string

/** A value in JSON, as SQL of type jsonb and of type text. */
interface JsonValue {
  json: string
  text: string
}

/** SQL of the value under a key, which may contain dots, or else under nested keys. */
export function jsonKey(bind: Bind, column: string, key: string): string {
  const own = `${column} -> ${bind(key)}::text`
  return key.includes('.') ? `coalesce(${own}, ${jsonPath(bind, column, key)})` : `(${own})`
}

/**
 * SQL of the value under nested keys. A number is the index in an array. Another key below an array is read in each of its elements:
 * the values are an array then.
 *
 * @see https://www.postgresql.org/docs/current/functions-json.html#STRICT-AND-LAX-MODES
 */
export function jsonPath(bind: Bind, column: string, path: string): string {
  const keys = path.split('.')
  const one = `${column} #> ${bind(keys)}::text[]`
  if (keys.length === 1) return `(${one})`
  const lax = `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`
  return `coalesce(${one}, nullif(jsonb_path_query_array(${column}, ${bind(lax)}::jsonpath), '[]'))`
}

/**
 * Compiles a comparison of a value in JSON: by the type of the value in the condition, and of the stored one. An array matches if one of
 * its elements does.
 *
 * @param json the value, as SQL
 */
export function compareJson(bind: Bind, instant: Date, json: string, compared: Compared): string {
  if (compared.is === 'missing') return `nullif(${json}, 'null'::jsonb) is null`
  if (compared.is === 'present') return `nullif(${json}, 'null'::jsonb) is not null`
  const whole = { json, text: `(${json} #>> '{}')` }
  const element = { json: 'element.value', text: `(element.value #>> '{}')` }
  // Only arrays need a subquery, which takes a third longer for each contact.
  return `(case jsonb_typeof(${json})
    when 'array' then exists (
      select from jsonb_array_elements(${json}) as element(value) where ${compareElement(bind, instant, element, compared)}
    )
    else ${compareElement(bind, instant, whole, compared)}
  end)`
}

function compareElement(bind: Bind, instant: Date, { json, text }: JsonValue, { is, value }: Compared): string {
  switch (is) {
    case 'missing':
    case 'present':
      return 'true'
    case 'equal':
      return `coalesce(${json} = ${bind(JSON.stringify(value))}::jsonb, false)`
    case 'less':
    case 'more':
      return typeof value === 'number'
        ? `(case when ${isNumber({ json, text })} then ${compareOrder(`${text}::numeric`, is, `${bind(value)}::numeric`)} else false end)`
        : ifText(json, compareText(bind, text, { is, value: value! }))
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return ifText(json, compareText(bind, text, { is, value: value! }))
    case 'before':
    case 'after':
    case 'olderThan':
      return ifScalar(json, compareTime(bind, instant, `instant_of(${text})`, { is, value: value! }))
    case 'newerThan':
      // In the last days: unlike the times of a contact, a stored date can be in the future.
      return ifScalar(
        json,
        `coalesce(instant_of(${text}) > ${bind(instantBefore(instant, value))}::timestamptz
           and instant_of(${text}) <= ${bind(instant.toISOString())}::timestamptz, false)`,
      )
    case 'within':
      return ifScalar(
        json,
        `coalesce(instant_of(${text}) between ${bind(instant.toISOString())}::timestamptz
           and ${bind(instantAfter(instant, value))}::timestamptz, false)`,
      )
  }
}

// The order of evaluation in a `case` is defined, so text is converted only where it can be.
const ifText = (json: string, then: string): string =>
  `(case when jsonb_typeof(${json}) = 'string' then ${then} else false end)`

/** A time is a text, or a number of Unix time. */
const ifScalar = (json: string, then: string): string =>
  `(case when jsonb_typeof(${json}) in ('string', 'number') then ${then} else false end)`

/** CSV files contain nothing but strings. */
const isNumber = ({ json, text }: JsonValue): string =>
  `jsonb_typeof(${json}) = 'number' or (jsonb_typeof(${json}) = 'string' and ${text} ~ '${A_NUMBER}')`

/**
 * A string that is a number as people write it, short enough to parse quickly. ASCII only: other digits and spaces depend on
 * the database's locale, and Postgres does not convert them to numbers.
 */
export const A_NUMBER = String.raw`^ *[-+]?[0-9]{1,30}(\.[0-9]{1,30})? *$`

/** Without case in any language, whatever the locale of the database, and with one code for each accented letter (Unicode, NFC). */
const folded = (text: string): string => `lower(normalize(${text}::text) collate pg_unicode_fast)`

/** Compiles a comparison of a text. `contains`, `startsWith` and `endsWith` ignore case. */
export function compareText(bind: Bind, text: string, { is, value }: Compared): string {
  switch (is) {
    case 'contains':
      return `coalesce(position(${folded(bind(value))} in ${folded(text)}) > 0, false)`
    case 'startsWith':
      return `coalesce(starts_with(${folded(text)}, ${folded(bind(value))}), false)`
    case 'endsWith': {
      const end = folded(bind(value))
      return `coalesce(right(${folded(text)}, length(${end})) = ${end}, false)`
    }
    case 'present':
      return `${text} is not null`
    case 'missing':
      return `${text} is null`
    case 'equal':
    case 'less':
    case 'more':
      return compareOrder(text, is, `${bind(value)}::text`)
    // `readCondition` rejects these for a text.
    case 'before':
    case 'after':
    case 'within':
    case 'olderThan':
    case 'newerThan':
      return 'false'
  }
}

/** Compiles a comparison of a timestamp of the contact itself, which is in the past. */
export function compareTime(bind: Bind, instant: Date, time: string, { is, value }: Compared): string {
  const bound = (timestamp: string) => `${bind(timestamp)}::timestamptz`
  switch (is) {
    case 'present':
      return `${time} is not null`
    case 'missing':
      return `${time} is null`
    case 'equal':
    case 'less':
    case 'more':
      return compareOrder(time, is, bound(timestampForPostgres(String(value))))
    case 'before':
      return compareOrder(time, 'less', bound(timestampForPostgres(String(value))))
    case 'after':
      return compareOrder(time, 'more', bound(timestampForPostgres(String(value))))
    case 'olderThan':
      return compareOrder(time, 'less', bound(instantBefore(instant, value)))
    case 'newerThan':
      return compareOrder(time, 'more', bound(instantBefore(instant, value)))
    // `readCondition` rejects these for a time.
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'within':
      return 'false'
  }
}

const OPERATORS = { equal: '=', less: '<', more: '>' } as const

const compareOrder = (column: string, is: keyof typeof OPERATORS, value: string): string =>
  `coalesce(${column} ${OPERATORS[is]} ${value}, false)`

const instantBefore = (instant: Date, duration: unknown): string =>
  new Date(instant.getTime() - (durationMs(String(duration)) ?? 0)).toISOString()
const instantAfter = (instant: Date, duration: unknown): string =>
  new Date(instant.getTime() + (durationMs(String(duration)) ?? 0)).toISOString()
