export { startWebhookDeliveries } from './deliver.ts'
export { createNotices } from './notices.ts'
export { WebhookDelivery, WebhookEndpoint, WebhookEvent } from './entities.ts'
export { deleteOldWebhookEvents, restoreWebhookEvents } from './queries.ts'
