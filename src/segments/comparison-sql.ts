import { timestampForPostgres } from '../platform/timestamp.ts'
import type { Compared } from './condition.ts'
import { durationMs } from './duration.ts'

/** Adds a value to the parameters of a statement. @returns its placeholder */
export type Bind = (value: unknown) => string

/** A value in JSON, as SQL of type jsonb and of type text. */
export interface JsonValue {
  json: string
  text: string
}

/** The value under a key. The key may contain dots. */
export function jsonKey(bind: Bind, column: string, key: string): JsonValue {
  const at = `${bind(key)}::text`
  return { json: `(${column} -> ${at})`, text: `(${column} ->> ${at})` }
}

/** The value under nested keys. A number is the index in an array. */
export function jsonPath(bind: Bind, column: string, path: string): JsonValue {
  const at = `${bind(path.split('.'))}::text[]`
  return { json: `(${column} #> ${at})`, text: `(${column} #>> ${at})` }
}

/** Compiles a comparison of a value in JSON: by the type of the value in the condition, and of the stored one. */
export function compareJson(bind: Bind, instant: Date, { json, text }: JsonValue, { is, value }: Compared): string {
  switch (is) {
    case 'missing':
      return `nullif(${json}, 'null'::jsonb) is null`
    case 'present':
      return `nullif(${json}, 'null'::jsonb) is not null`
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
      return ifText(json, compareTime(bind, instant, `instant_of(${text})`, { is, value: value! }))
    case 'newerThan':
      // In the last days: unlike the times of a contact, a stored date can be in the future.
      return ifText(
        json,
        `coalesce(instant_of(${text}) > ${bind(instantBefore(instant, value))}::timestamptz
           and instant_of(${text}) <= ${bind(instant.toISOString())}::timestamptz, false)`,
      )
    case 'within':
      return ifText(
        json,
        `coalesce(instant_of(${text}) between ${bind(instant.toISOString())}::timestamptz
           and ${bind(instantAfter(instant, value))}::timestamptz, false)`,
      )
  }
}

// The order of evaluation in a `case` is defined, so text is converted only where it can be.
const ifText = (json: string, then: string): string =>
  `(case when jsonb_typeof(${json}) = 'string' then ${then} else false end)`

/** CSV files contain nothing but strings. */
const isNumber = ({ json, text }: JsonValue): string =>
  `jsonb_typeof(${json}) = 'number' or (jsonb_typeof(${json}) = 'string' and ${text} ~ '${A_NUMBER}')`

/**
 * A string that is a number as people write it, short enough to parse quickly. ASCII only: other digits and spaces depend on
 * the database's locale, and Postgres does not convert them to numbers.
 */
const A_NUMBER = String.raw`^ *[-+]?[0-9]{1,30}(\.[0-9]{1,30})? *$`

/** Compiles a comparison of a text. */
export function compareText(bind: Bind, text: string, { is, value }: Compared): string {
  switch (is) {
    case 'contains':
      return `coalesce(position(${bind(value)} in ${text}) > 0, false)`
    case 'startsWith':
      return `coalesce(starts_with(${text}, ${bind(value)}), false)`
    case 'endsWith': {
      const end = bind(value)
      return `coalesce(right(${text}, length(${end})) = ${end}, false)`
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
