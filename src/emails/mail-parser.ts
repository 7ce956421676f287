import { createJobProcess, type JobProcess } from '../platform/job-process.ts'
import { waits } from '../platform/waits.ts'
import type { SubmittedMail } from './submitted-mail.ts'

/** A mail of the maximum size, its parts, and their copies. */
const MAX_MB = 256

/** A parsed mail, or what is wrong with it. */
export type ParsedMail = SubmittedMail | { fault: string }

/** Parses submitted mails in a process of their own. A crafted mail of 3 MB takes more than half a minute. */
export const createMailParser = (): JobProcess<Uint8Array, ParsedMail> =>
  createJobProcess({
    script: new URL('./parsing-process.ts', import.meta.url),
    maxMs: () => waits.mailParsing,
    maxMb: MAX_MB,
  })
