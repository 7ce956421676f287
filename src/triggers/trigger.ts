import { normalForm } from '../platform/normal-form.ts'

/** The triggers that can start an automation: the values of `trigger` in the full response. */
export const TRIGGERS = [
  'LIST_ADDED',
  'LIST_REQUESTED',
  'TAG_ADDED',
  'EVENT',
  'SIGNUP',
  'SEGMENT_ENTERED',
  'DATE',
] as const
export type Trigger = (typeof TRIGGERS)[number]

/**
 * How a custom event arrived: by a request with a key or of a member in the dashboard, with many others, or from a step of an
 * automation.
 */
export const EVENT_SOURCES = ['API', 'DASHBOARD', 'BULK', 'AUTOMATION'] as const
export type EventSource = (typeof EVENT_SOURCES)[number]

/** Maximum length of an event's name, in characters. */
export const MAX_EVENT_NAME_LENGTH = 1_000

/** Whether a date starts an automation once, or on each anniversary. */
export const DATE_REPEATS = ['YEARLY', 'ONCE'] as const
type DateRepeat = (typeof DATE_REPEATS)[number]

/** The known keys of `triggerConfig`. All may be absent; such an automation matches nothing. */
export interface TriggerConfig {
  listId?: string
  tagName?: string
  eventName?: string
  segmentId?: string
  /** For DATE: `contact.createdAt` or `contact.metadata.KEY`. */
  field?: string
  /** YEARLY by default. */
  repeat?: DateRepeat
  /** Days after the date; negative for before. 0 by default. */
  offsetDays?: number
  /** The local time, `HH:MM`. 09:00 by default. */
  timeOfDay?: string
  /** `contact` (the default), or an IANA name. */
  timezone?: string
  [key: string]: unknown
}

/** The names of these triggers in the summary response, which are older. */
export const SUMMARY_TRIGGERS = {
  SIGNUP: 'CONTACT_CREATED',
  EVENT: 'CUSTOM_EVENT',
  LIST_ADDED: 'LIST_ADDED',
  LIST_REQUESTED: 'LIST_REQUESTED',
  TAG_ADDED: 'TAG_ADDED',
  SEGMENT_ENTERED: 'SEGMENT_ENTERED',
  DATE: 'DATE',
} as const satisfies Record<Trigger, string>

/** Normalizes a name for comparison: without case, and in one Unicode form. */
export const foldName = (name: string): string => normalForm(name).toLowerCase()

const KEYS = {
  SIGNUP: () => '',
  EVENT: (config) => (config.eventName === undefined ? null : foldName(config.eventName)),
  TAG_ADDED: (config) => (config.tagName === undefined ? null : foldName(config.tagName.trim())),
  LIST_ADDED: (config) => config.listId?.toLowerCase() ?? null,
  LIST_REQUESTED: (config) => config.listId?.toLowerCase() ?? null,
  SEGMENT_ENTERED: (config) => config.segmentId?.toLowerCase() ?? null,
  DATE: (config) => config.field ?? null,
} as const satisfies Record<Trigger, (config: TriggerConfig) => string | null>

/**
 * Returns the key for which an automation listens, in its normal form. It is computed once when the automation is written, and
 * once for each event, so that matching is an index lookup by equality. `null` if the configuration names nothing to listen for.
 */
export const triggerKey = (trigger: Trigger, config: TriggerConfig): string | null => KEYS[trigger](config)
