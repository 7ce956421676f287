import type { Schemas } from '../api/client.ts'

export const NO_MESSAGES: Schemas['MessageCounts'] = {
  queued: 0,
  sending: 0,
  deferred: 0,
  sent: 0,
  captured: 0,
  failed: 0,
  unconfirmed: 0,
  suppressed: 0,
  dismissed: 0,
}
