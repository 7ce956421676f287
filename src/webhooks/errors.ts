import { defineError } from '../platform/api-error.ts'

export const WEBHOOK_NOT_FOUND = defineError('not-found', 'webhook_not_found', 'Webhook not found')
export const DELIVERY_NOT_FOUND = defineError('not-found', 'delivery_not_found', 'Delivery not found')

/** Maximum number of endpoints of a workspace. */
export const MAX_ENDPOINTS = 50
export const WEBHOOK_LIMIT_REACHED = defineError(
  'taken',
  'webhook_limit_reached',
  `A workspace can have ${MAX_ENDPOINTS} webhooks. Delete one first.`,
)
export const WEBHOOK_DISABLED = defineError(
  'taken',
  'webhook_disabled',
  'This webhook is disabled. Enable it first: PATCH /webhooks/{id} with {"status": "ENABLED"}.',
)
