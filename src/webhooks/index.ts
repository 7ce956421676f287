export { startWebhookDeliveries } from './deliver.ts'
export { createNotices } from './notices.ts'
