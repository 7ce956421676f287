import type { Email } from 'postal-mime'
import { createJobThread, type JobThread } from '../platform/job-thread.ts'
import { waits } from '../platform/waits.ts'

/** A mail of the maximum size, its parts, and their copies. */
const MAX_MB = 256

/** A parsed mail, or what is wrong with it. */
export type ParsedMail = Email | { fault: string }

/** Parses submitted mails in a thread of their own. A crafted mail of 3 MB takes more than half a minute. */
export const createMailParser = (): JobThread<Uint8Array, ParsedMail> =>
  createJobThread({
    script: new URL('./parsing-thread.ts', import.meta.url),
    maxMs: () => waits.mailParsing,
    maxMb: MAX_MB,
  })
