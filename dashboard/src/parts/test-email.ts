import type { Schemas } from '../api/client.ts'

type TestEmail = Schemas['TestEmail']

const WORDS: Record<TestEmail['status'], (sent: TestEmail) => string> = {
  SENT: ({ to }) => `The server has it for ${to}.`,
  CAPTURED: () => 'Not delivered: all mail is captured here.',
  FAILED: ({ error }) => `Not sent: ${error ?? ''}`,
  UNCONFIRMED: ({ error }) => `Nobody knows whether it was sent: ${error ?? ''}`,
}

/** What became of an email that somebody sent to themselves. */
export const testEmailInWords = (sent: TestEmail): string => WORDS[sent.status](sent)
