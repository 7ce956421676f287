export { Bounce, FeedbackSource } from './entities.ts'
export { feedbackPages } from './feedback-routes.ts'
export { type Listener, listenForBounces } from './listener.ts'
