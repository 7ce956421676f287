export { Bounce, FeedbackCall, FeedbackSource } from './entities.ts'
export { bouncesOf, deleteOldWebhookCalls, type MessageBounce } from './queries.ts'
export { feedbackPages } from './feedback-routes.ts'
export { type Listener, listenForBounces } from './listener.ts'
