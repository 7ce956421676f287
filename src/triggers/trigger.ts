import { normalForm } from '../platform/normal-form.ts'

/** What can start an automation: the values of `trigger` in the detail shape. */
export const TRIGGERS = ['LIST_ADDED', 'LIST_REQUESTED', 'TAG_ADDED', 'EVENT', 'SIGNUP'] as const
export type Trigger = (typeof TRIGGERS)[number]

/** The longest name of an event, in characters. */
export const MAX_EVENT_NAME_LENGTH = 1_000

/** The keys of `triggerConfig` that have a meaning. All may be absent: such an automation matches nothing. */
export interface TriggerConfig {
  listId?: string
  tagName?: string
  eventName?: string
  [key: string]: unknown
}

/** The names of the same triggers in the summary shape, which are older. */
export const SUMMARY_TRIGGERS = {
  SIGNUP: 'CONTACT_CREATED',
  EVENT: 'CUSTOM_EVENT',
  LIST_ADDED: 'LIST_ADDED',
  LIST_REQUESTED: 'LIST_REQUESTED',
  TAG_ADDED: 'TAG_ADDED',
} as const satisfies Record<Trigger, string>

/** Names are compared without case, and by what they look like rather than how typed. */
export const foldName = (name: string): string => normalForm(name).toLowerCase()

const KEYS = {
  SIGNUP: () => '',
  EVENT: (config) => (config.eventName === undefined ? null : foldName(config.eventName)),
  TAG_ADDED: (config) => (config.tagName === undefined ? null : foldName(config.tagName.trim())),
  LIST_ADDED: (config) => config.listId?.toLowerCase() ?? null,
  LIST_REQUESTED: (config) => config.listId?.toLowerCase() ?? null,
} as const satisfies Record<Trigger, (config: TriggerConfig) => string | null>

/**
 * What an automation listens for, in the form in which it is compared: computed once when it is written, and
 * once for each thing that happens, so that a match is an index look-up on equality.
 * `null` where the configuration names nothing to listen for.
 */
export const triggerKey = (trigger: Trigger, config: TriggerConfig): string | null => KEYS[trigger](config)
