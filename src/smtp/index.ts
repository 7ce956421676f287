export { type OnChange, withCircuitBreaker } from './circuit-breaker.ts'
export { withFailOver } from './fail-over.ts'
export { readGreeting } from './greeting.ts'
export { addressOfServer, adviceFor, isLocal, isOnThisMachine, readSmtpUrl, type SmtpServer } from './smtp-url.ts'
export { ProviderPace } from './provider-pace.ts'
export { meaningOfCode } from './status-codes.ts'
export { createSmtpTransport } from './smtp.ts'
export { traceDeliveries } from './trace.ts'
export { withProviderPace } from './with-provider-pace.ts'
export { withSendRate } from './with-send-rate.ts'
export {
  type Attachment,
  type Delivery,
  type MailTransport,
  type ConnectionSlot,
  TransportClosed,
} from './transport.ts'
