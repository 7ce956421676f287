import { byActivity } from './by-activity.ts'
import type { EngineStepType } from './step-type.ts'

export interface WaitUntilOutline {
  id: string
  type: 'WAIT_UNTIL'
}

export const WEEKDAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const
type Weekday = (typeof WEEKDAYS)[number]

/**
 * The time for which a step waits: a local date and time, a date field of the contact or the event, or the next time of day.
 * `timeOfDay` and `weekdays` move the result to the first matching time from then on.
 */
export interface WaitTarget {
  at?: string
  field?: string
  offsetMinutes?: number
  timeOfDay?: string
  weekdays?: Weekday[]
}

export interface StoredWaitUntil extends WaitUntilOutline {
  until: WaitTarget
  /** `contact`, or an IANA name. */
  timezone: string
  ifPast: 'continue' | 'exit'
}

/** Waits for a date or a time of day, in the contact's time zone. */
export const waitUntil: EngineStepType<WaitUntilOutline, StoredWaitUntil> = byActivity('WAIT_UNTIL')
