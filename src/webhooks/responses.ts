import { array, boolean, number, object, string, type InferType } from 'yup'
import { count, id, nullableText, timestamp, writtenResponse } from '../http/index.ts'
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
  type LoggedAttempt,
  type WebhookEndpoint,
} from './entities.ts'
import { ALL_EVENTS, EVENT_TYPES, payloadOf, TEST_EVENT_TYPE } from './event-types.ts'
import { type FullDelivery, type ListedDelivery, MAX_COUNTED } from './log-queries.ts'
import { eventResponse } from './payloads.ts'

const upTo = (description: string, example: number) =>
  number()
    .integer()
    .min(0)
    .max(MAX_COUNTED)
    .required()
    .meta({ description: `${description} ${MAX_COUNTED} means that many or more.`, example })

const endpointFields = {
  id: id('webhook'),
  url: nullableText('Where the events are sent; null if they are polled.', 'https://example.com/hooks/dripline'),
  events: array()
    .of(
      string()
        .oneOf([ALL_EVENTS, ...EVENT_TYPES] as const)
        .required()
        .meta({ example: 'contact.created' }),
    )
    .required(),
  description: nullableText('For people.', 'CRM'),
  status: string().oneOf(ENDPOINT_STATUSES).required().meta({ example: 'ENABLED' }),
  disabledReason: string()
    .nullable()
    .oneOf([...DISABLED_REASONS, null] as const)
    .defined()
    .meta({
      description:
        'Why Dripline disabled the webhook. GONE: it responded with 410. FAILING: every attempt failed for three days.',
      example: null,
    }),
  disabledAt: timestamp('When it was disabled; null if it is enabled.').nullable().defined(),
  failingSince: timestamp('The first failed attempt since the last success; null if the last attempt succeeded.')
    .nullable()
    .defined(),
  previousSecretUntil: timestamp('Until when the secret before the last rotation signs, too; null if there is none.')
    .nullable()
    .defined(),
  createdAt: timestamp('The time of creation.'),
  updatedAt: timestamp('The time of the last update.'),
}

export const webhookResponse = object({
  ...endpointFields,
  deliveries: object({
    pending: upTo('Deliveries that are due or wait for another attempt.', 0),
    failed: upTo('Deliveries that failed for good in the last 30 days.', 0),
  }).required(),
})
  .required()
  .meta({ component: 'Webhook', description: 'A destination of events.' })

/** The response to a write, which a key that may not read webhooks gets only in part. */
export const writtenWebhookResponse = writtenResponse(webhookResponse, {
  component: 'WrittenWebhook',
  scope: 'webhooks:read',
})

const secretField = string().required().meta({
  description: 'The secret that signs the requests, as libraries for Standard Webhooks expect it.',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwPqS0ykJ3vxY=',
})

export const newWebhookResponse = object({ ...endpointFields, secret: secretField })
  .required()
  .meta({ component: 'NewWebhook', description: 'A webhook with its secret.' })

export const secretResponse = object({ secret: secretField }).required().meta({ component: 'WebhookEndpointSecret' })

export const presentNewWebhook = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  url: endpoint.url ?? null,
  events: endpoint.events,
  description: endpoint.description ?? null,
  status: endpoint.status,
  disabledReason: endpoint.disabledReason ?? null,
  disabledAt: endpoint.disabledAt?.toISOString() ?? null,
  failingSince: endpoint.failingSince?.toISOString() ?? null,
  previousSecretUntil:
    endpoint.previousUntil && endpoint.previousUntil > new Date() ? endpoint.previousUntil.toISOString() : null,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
})

export const presentWebhook = (endpoint: WebhookEndpoint, { pending, failed } = { pending: 0, failed: 0 }) => ({
  ...presentNewWebhook(endpoint),
  deliveries: { pending, failed },
})

const attemptFields = {
  at: timestamp('When the request was sent.'),
  durationMs: count('Milliseconds until the response.', 142),
  url: string().required().meta({ example: 'https://example.com/hooks/dripline' }),
  status: number().integer().nullable().defined().meta({
    description: 'The status of the response; null without one.',
    example: 200,
  }),
  problem: nullableText('Why there was no response.'),
  response: nullableText('The first kilobyte of the response.', 'OK'),
}

const attemptResponse = object(attemptFields).required().meta({ component: 'WebhookAttempt' })

const deliveryFields = {
  id: id('event').meta({ description: 'The ID of the event, which is also the header webhook-id.' }),
  type: string()
    .oneOf([...EVENT_TYPES, TEST_EVENT_TYPE] as const)
    .required()
    .meta({ example: 'contact.created' }),
  status: string()
    .oneOf(DELIVERY_STATUSES)
    .required()
    .meta({ description: 'PENDING: due, or waiting for another attempt.', example: 'DELIVERED' }),
  attempts: count('Attempts since the event, or since the last replay.'),
  createdAt: timestamp('When the event happened.'),
  nextAttemptAt: timestamp('When the next attempt is due; null if there is none.').nullable().defined(),
  finishedAt: timestamp('When it was delivered or failed; null if it is pending.').nullable().defined(),
}

export const deliveryResponse = object({
  ...deliveryFields,
  // Some generators cannot read a nullable object.
  lastAttempt: object(attemptFields)
    .default(undefined)
    .optional()
    .meta({ description: 'The last attempt, if there was one.' }),
})
  .required()
  .meta({ component: 'WebhookDelivery', description: 'An event that is sent to a webhook.' })

export const fullDeliveryResponse = object({
  ...deliveryFields,
  request: object({
    method: string().required().meta({ example: 'POST' }),
    headers: object({
      'content-type': string().required().meta({ example: 'application/json' }),
      'webhook-id': string().required().meta({ example: '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e' }),
    }).required(),
    body: eventResponse,
  })
    .required()
    .meta({ description: 'The request. The headers webhook-timestamp and webhook-signature differ in each attempt.' }),
  log: array()
    .of(attemptResponse)
    .required()
    .meta({ description: 'The last 20 attempts, oldest first, including those before a replay.' }),
})
  .required()
  .meta({ component: 'WebhookDeliveryDetails', description: 'A delivery with its request and its responses.' })

const presentFields = (delivery: ListedDelivery) => ({
  id: delivery.id,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  createdAt: delivery.createdAt.toISOString(),
  nextAttemptAt: delivery.status === 'PENDING' ? delivery.dueAt.toISOString() : null,
  finishedAt: delivery.finishedAt?.toISOString() ?? null,
})

const presentAttempt = ({ at, durationMs, url, status, problem, response }: LoggedAttempt) => ({
  at,
  durationMs,
  url,
  status,
  problem,
  response,
})

export const presentDelivery = (delivery: ListedDelivery): InferType<typeof deliveryResponse> => ({
  ...presentFields(delivery),
  ...(delivery.last && { lastAttempt: presentAttempt(delivery.last) }),
})

export const presentFullDelivery = (delivery: FullDelivery): InferType<typeof fullDeliveryResponse> => ({
  ...presentFields(delivery),
  request: {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'webhook-id': delivery.id },
    body: payloadOf(delivery),
  },
  log: delivery.log.map(presentAttempt),
})

export const replayResponse = object({ replayed: count('Events that are sent again.', 318) })
  .required()
  .meta({ component: 'WebhookReplayResult' })

export const testResponse = object({
  id: id('event').meta({ description: 'The ID of the test event. Its delivery is in the log.' }),
})
  .required()
  .meta({ component: 'WebhookTestResult' })

/** The response of the polling API. */
export const polledEventsResponse = object({
  events: array().of(eventResponse).required(),
  cursor: string().required().meta({
    description: 'Pass it as `after` to get the next events. It stays the same if there were none.',
    example: '764.1234',
  }),
  isMore: boolean().required().meta({ description: 'Whether more events are ready.', example: false }),
})
  .required()
  .meta({ component: 'PolledEvents' })
