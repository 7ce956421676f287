import { defineEntity, p } from '@mikro-orm/core'
import type { EventType } from './event-types.ts'

export const ENDPOINT_STATUSES = ['ENABLED', 'DISABLED'] as const
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** Why Dripline disabled an endpoint: it answered 410, or failed for days. */
export const DISABLED_REASONS = ['GONE', 'FAILING'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

const endpointTable = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoints',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    /** `null`: the events are polled. */
    url: p.text().nullable(),
    events: p.array<EventType | '*'>().columnType('text[]'),
    description: p.text().nullable(),
    status: p.text().$type<EndpointStatus>(),
    /** `null` if the endpoint is enabled, or was disabled by request. */
    disabledReason: p.text().$type<DisabledReason>().nullable(),
    disabledAt: p.datetime().nullable(),
    /** The first failed attempt since the last success. */
    failingSince: p.datetime().nullable(),
    failures: p.integer().onCreate(() => 0),
    /** Encrypted with SECRETS_KEY. */
    secret: p.blob(),
    previousSecret: p.blob().nullable(),
    previousUntil: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** A destination of a workspace's events. */
export class WebhookEndpoint extends endpointTable.class {}
endpointTable.setClass(WebhookEndpoint)

const eventTable = defineEntity({
  name: 'WebhookEvent',
  tableName: 'webhook_events',
  properties: {
    position: p.bigint('string').primary().generated('identity'),
    id: p.uuid(),
    workspaceId: p.uuid(),
    endpointId: p.uuid().nullable(),
    contactId: p.uuid().nullable(),
    type: p.text().$type<EventType>(),
    data: p.json<Record<string, unknown>>(),
    xid: p.string().columnType('xid8'),
    createdAt: p.datetime(),
  },
})

/** Something that happened. Written by triggers: see `migrations/001-baseline.sql`. */
export class WebhookEvent extends eventTable.class {}
eventTable.setClass(WebhookEvent)

/** One attempt at a delivery. */
export interface LoggedAttempt {
  /** ISO 8601. */
  at: string
  durationMs: number
  url: string
  /** The status of the response; `null` without one. */
  status: number | null
  /** Why there is no response. */
  problem: string | null
  /** The beginning of the response's body. */
  response: string | null
}

const deliveryTable = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    eventPosition: p.bigint('string').primary(),
    endpointId: p.uuid().primary(),
    /** The endpoint and the contact, whose deliveries are sent in order. */
    lane: p.uuid().nullable(),
    status: p.text().$type<DeliveryStatus>(),
    attempts: p.integer(),
    dueAt: p.datetime(),
    leasedUntil: p.datetime().nullable(),
    log: p.json<LoggedAttempt[]>(),
    finishedAt: p.datetime().nullable(),
  },
})

/** An event to deliver to an endpoint. Written only by the statements in this folder. */
export class WebhookDelivery extends deliveryTable.class {}
deliveryTable.setClass(WebhookDelivery)
