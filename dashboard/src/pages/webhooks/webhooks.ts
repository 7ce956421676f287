import { IconBan, IconCheck, IconClock, IconRefresh, IconX } from '@tabler/icons-react'
import type { Schemas } from '../../api/client.ts'
import type { StatusStyle } from '../../components/StatusBadge.tsx'

export type Webhook = Schemas['Webhook']
export type NewWebhook = Schemas['NewWebhook']
export type EventType = Webhook['events'][number]
export type DeliveryStatus = Schemas['WebhookDelivery']['status']

/** The group of each type of event. A record, so that it has exactly the types of the API. */
const GROUP_OF: Record<Exclude<EventType, '*'>, string> = {
  'contact.created': 'Contacts',
  'contact.updated': 'Contacts',
  'contact.deleted': 'Contacts',
  'contact.unsubscribed': 'Contacts',
  'contact.resubscribed': 'Contacts',
  'list.joined': 'Contacts',
  'list.left': 'Contacts',
  'enrollment.started': 'Enrollments',
  'enrollment.completed': 'Enrollments',
  'enrollment.exited': 'Enrollments',
  'enrollment.goal_reached': 'Enrollments',
  'enrollment.cancelled': 'Enrollments',
  'message.sent': 'Messages',
  'message.delivered': 'Messages',
  'message.deferred': 'Messages',
  'message.bounced': 'Messages',
  'message.complained': 'Messages',
  'message.failed': 'Messages',
  'message.unconfirmed': 'Messages',
  'message.suppressed': 'Messages',
  'message.opened': 'Messages',
  'message.clicked': 'Messages',
  'campaign.started': 'Campaigns',
  'campaign.finished': 'Campaigns',
  'campaign.paused': 'Campaigns',
  'import.finished': 'Imports',
}

/** The types of events, by what they are about. */
export const EVENT_GROUPS = [
  ...Map.groupBy(Object.keys(GROUP_OF) as (keyof typeof GROUP_OF)[], (type) => GROUP_OF[type]),
].map(([of, types]) => ({ of, types }))

export const DELIVERY_STATUSES: Record<DeliveryStatus, StatusStyle> = {
  PENDING: { label: 'Pending', icon: IconClock, tone: 'warn' },
  DELIVERED: { label: 'Delivered', icon: IconCheck, tone: 'ok' },
  FAILED: { label: 'Failed', icon: IconX, tone: 'bad' },
}

/** The status of a delivery. One that was attempted and is pending is retried. */
export const deliveryStatus = ({ status, attempts }: { status: DeliveryStatus; attempts: number }): StatusStyle =>
  status === 'PENDING' && attempts > 0
    ? { label: 'Retrying', icon: IconRefresh, tone: 'warn' }
    : DELIVERY_STATUSES[status]

/** The color class of an attempt. */
export const toneOf = (status: number | null): string =>
  status !== null && status >= 200 && status < 300 ? 'c-ok' : 'c-bad'

export const ALL_STATUSES = Object.keys(DELIVERY_STATUSES) as DeliveryStatus[]

/** The status of a webhook, as far as it is known from its last attempt. */
export function statusOf({ status, failingSince, url }: Webhook): StatusStyle {
  if (status === 'DISABLED') return { label: 'Disabled', icon: IconBan, tone: 'mute' }
  if (failingSince !== null) return { label: 'Failing', icon: IconX, tone: 'bad' }
  return { label: url === null ? 'Polled' : 'Enabled', icon: IconCheck, tone: 'ok' }
}

/** The URL without its protocol, or what stands for it. */
export const nameOf = ({ url, description }: Webhook): string =>
  url?.replace(/^https?:\/\//, '') ?? description ?? 'Polled events'

export const eventsInWords = (events: readonly EventType[]): string =>
  events.includes('*') ? 'All events' : events.length <= 2 ? events.join(', ') : `${events.length} types`
