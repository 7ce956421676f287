import type { MailTransport } from './transport.ts'

/** Takes every email and delivers none: the ledger keeps its content, readable as the contact's activity. */
export const captureTransport: MailTransport = {
  deliver: () => Promise.resolve({ kind: 'taken', response: 'captured' }),
  close: () => Promise.resolve(),
}
