export {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  getSecret,
  listEndpoints,
  OVERLAP_HOURS,
  rotateSecret,
  secretPurpose,
  updateEndpoint,
} from './endpoints.ts'
export {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  ENDPOINT_STATUSES,
  type LoggedAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
} from './entities.ts'
export { DELIVERY_NOT_FOUND, WEBHOOK_DISABLED, WEBHOOK_LIMIT_REACHED, WEBHOOK_NOT_FOUND } from './errors.ts'
export { ALL_EVENTS, EVENT_TYPES, type EventType, PAYLOAD_VERSION, payloadOf, TEST_EVENT_TYPE } from './event-types.ts'
export type { ContactField, WebhookFact } from './facts.ts'
export {
  countDeliveries,
  deliveryPage,
  type EventCursor,
  eventsAfter,
  findDelivery,
  type FullDelivery,
  insertTestEvent,
  type ListedDelivery,
  MAX_COUNTED,
  replayDeliveries,
  replayDelivery,
} from './log-queries.ts'
export {
  deleteOldWebhookEvents,
  type DisabledWebhook,
  type DueEndpoint,
  type FailedEndpoint,
  findDisabled,
  findRemaining,
  LEASE_SECONDS,
  type LeasedDelivery,
  leaseDeliveries,
  lockDueEndpoints,
  type OutcomeRow,
  releaseDeliveries,
  restoreWebhookEvents,
  setFailing,
  setHealthy,
  writeOutcomes,
} from './queries.ts'
export { recordWebhookFacts } from './record.ts'
export { deleteEventsOf, readSubscriptions } from './record-queries.ts'
