import { send } from '../machine-state.ts'
import type { SequenceStepType } from './step-type.ts'

export interface EmailOutline {
  id: string
  type: 'EMAIL'
}

/** A version names an email's content by its hash, so that reading a sequence costs the same at any size. */
/** What may be sent to somebody who has unsubscribed, because it is no marketing: a receipt, a password. */
export const EMAIL_CATEGORIES = ['marketing', 'transactional'] as const
export type EmailCategory = (typeof EMAIL_CATEGORIES)[number]

export interface StoredEmail extends EmailOutline {
  content: string
  /** Marketing where nothing is said. */
  category?: 'transactional'
  /** The version of a template that it was made of. */
  template?: { id: string; version: number }
}

/** Sends one email. */
export const email: SequenceStepType<EmailOutline, StoredEmail> = {
  outlineOf: ({ id, type }) => ({ id, type }),
  describe: () => 'EMAIL',
  enter: ({ id }, { state }) => send(state, id),
}
