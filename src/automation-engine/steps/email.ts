import { send } from '../machine-state.ts'
import type { EngineStepType } from './step-type.ts'

export interface EmailOutline {
  id: string
  type: 'EMAIL'
}

/**
 * A version refers to an email's content by its hash, so that the cost of reading a sequence does not depend on the size of its
 * emails.
 */
/** Categories of emails. Transactional emails, such as receipts and passwords, may be sent to contacts who unsubscribed. */
export const EMAIL_CATEGORIES = ['marketing', 'transactional'] as const
export type EmailCategory = (typeof EMAIL_CATEGORIES)[number]

export interface StoredEmail extends EmailOutline {
  content: string
  /** Default: marketing. */
  category?: 'transactional'
  /** The version of the template that it was created from. */
  template?: { id: string; version: number }
}

/** Sends one email. */
export const email: EngineStepType<EmailOutline, StoredEmail> = {
  outlineOf: ({ id, type }) => ({ id, type }),
  describe: () => 'EMAIL',
  enter: ({ id }, { state }) => send(state, id),
}
