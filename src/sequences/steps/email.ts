import { send } from '../moves.ts'
import type { SequenceStepType } from './step-type.ts'

export interface EmailOutline {
  id: string
  type: 'EMAIL'
}

/** A version names an email's content by its hash, so that reading a sequence costs the same at any size. */
export interface StoredEmail extends EmailOutline {
  content: string
}

/** Sends one email. */
export const email: SequenceStepType<EmailOutline, StoredEmail> = {
  outlineOf: ({ id, type }) => ({ id, type }),
  describe: () => 'EMAIL',
  enter: ({ id }, { state }) => send(state, id),
}
