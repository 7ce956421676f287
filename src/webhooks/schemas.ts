import { array, number, object, string } from 'yup'
import { atMost, cursorQuery, filledText, instant, text } from '../http/index.ts'
import { isHttpUrl } from '../platform/public-request.ts'
import { DELIVERY_STATUSES, ENDPOINT_STATUSES } from './entities.ts'
import { ALL_EVENTS, EVENT_TYPES } from './event-types.ts'

const MAX_URL_LENGTH = 2_000
const MAX_DESCRIPTION_LENGTH = 1_000

const url = () =>
  filledText()
    .nullable()
    .test(atMost(MAX_URL_LENGTH))
    .test({
      name: 'url',
      message: ({ path }) => `${path} must be an http or https URL without a user name`,
      test: (value) => value == null || isHttpUrl(value),
    })
    .meta({
      description: 'Where the events are sent. null: they are not sent; poll GET /webhooks/{id}/events.',
      example: 'https://example.com/hooks/dripline',
    })
const events = () =>
  array()
    .of(
      string()
        .oneOf([ALL_EVENTS, ...EVENT_TYPES] as const)
        .required()
        .meta({ example: 'contact.created' }),
    )
    .min(1, 'events must name at least one type, or be ["*"]')
    .max(100)
    .meta({ description: 'The types of events. ["*"]: all types, including those of later versions.' })
const description = () =>
  text().nullable().test(atMost(MAX_DESCRIPTION_LENGTH)).meta({ description: 'For people.', example: 'CRM' })

/** `POST /webhooks`. */
export const createWebhookSchema = object({
  url: url(),
  events: events().required(),
  description: description(),
}).meta({ component: 'WebhookInput' })

/** `PATCH /webhooks/{id}`. The route checks that there is a change. */
export const updateWebhookSchema = object({
  url: url(),
  events: events(),
  description: description(),
  status: string().oneOf(ENDPOINT_STATUSES).meta({
    description: 'DISABLED: nothing is recorded or sent. ENABLED: pending deliveries continue.',
    example: 'ENABLED',
  }),
}).meta({
  component: 'WebhookChange',
  description: 'The fields to change, at least one.',
  json: { minProperties: 1 },
  example: { events: ['*'] },
})

const deliveryStatus = () => string().oneOf(DELIVERY_STATUSES)

/** `GET /webhooks/{id}/deliveries`. */
export const deliveriesQuery = cursorQuery({
  status: deliveryStatus().meta({ description: 'Only deliveries with this status.', example: 'FAILED' }),
})

/** `POST /webhooks/{id}/replay`. */
export const replaySchema = object({
  since: instant('Replays the events since this time.').required(),
  until: instant('Replays the events before this time. Defaults to now.'),
  status: string()
    .oneOf(['DELIVERED', 'FAILED'] as const)
    .meta({
      description:
        'Only deliveries with this status. By default, all events of the types of the webhook, including those that were never sent ' +
        'to it because it was disabled.',
      example: 'FAILED',
    }),
}).meta({ component: 'WebhookReplay' })

/** The position after an event: the transaction that recorded it, and its number. */
const EVENT_CURSOR = /^[0-9]{1,18}\.[0-9]{1,18}$/

/** Maximum seconds for which a request for events waits. Proxies close connections that are idle for a minute. */
const MAX_WAIT_SECONDS = 25
const MAX_POLLED = 100

/** `GET /webhooks/{id}/events`. */
export const eventsQuery = object({
  after: string()
    .matches(EVENT_CURSOR, ({ path }) => `${path} must be the cursor of a response to this request`)
    .meta({
      description: 'The cursor of the last response. By default, the oldest event that is stored for the webhook.',
      json: { pattern: EVENT_CURSOR.source },
      example: '764.1234',
    }),
  wait: integer('wait', 0, MAX_WAIT_SECONDS)
    .default(0)
    .meta({ description: 'Seconds to wait for an event if there is none.', example: 25 }),
  limit: integer('limit', 1, MAX_POLLED)
    .default(MAX_POLLED)
    .meta({ description: 'Maximum number of events.', example: 100 }),
})

function integer(name: string, min: number, max: number) {
  const range = `${name} must be an integer from ${min} to ${max}`
  return number().typeError(range).integer(range).min(min, range).max(max, range)
}
