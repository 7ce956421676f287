/** The types of events that endpoints can subscribe to. */
export const EVENT_TYPES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.unsubscribed',
  'contact.resubscribed',
  'list.joined',
  'list.left',
  'enrollment.started',
  'enrollment.completed',
  'enrollment.exited',
  'enrollment.goal_reached',
  'enrollment.cancelled',
  'message.sent',
  'message.delivered',
  'message.deferred',
  'message.bounced',
  'message.complained',
  'message.failed',
  'message.unconfirmed',
  'message.suppressed',
  'message.opened',
  'message.clicked',
  'campaign.started',
  'campaign.finished',
  'campaign.paused',
  'import.finished',
] as const

/** The type of test events, which every endpoint gets on request. */
export const TEST_EVENT_TYPE = 'webhook.test'

export type EventType = (typeof EVENT_TYPES)[number] | typeof TEST_EVENT_TYPE

/** Subscribes to all types, including those of later versions. */
export const ALL_EVENTS = '*'

/** The version of the payloads. A change that can break receivers gets another one. */
export const PAYLOAD_VERSION = '2026-11-01'

/** An event as it is stored. */
export interface StoredEvent {
  id: string
  type: EventType
  createdAt: Date
  data: Record<string, unknown>
}

/** The body of a request, and an item of the polling API. */
export const payloadOf = ({ id, type, createdAt, data }: StoredEvent) => ({
  id,
  type,
  version: PAYLOAD_VERSION,
  createdAt: createdAt.toISOString(),
  data,
})
