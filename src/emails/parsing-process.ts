/** Script of the process that parses submitted mail. */
import { runJobs } from '../platform/run-jobs.ts'
import type { ParsedMail } from './mail-parser.ts'
import { parseSubmittedMail } from './submitted-mail.ts'

runJobs((raw: Uint8Array): Promise<ParsedMail> =>
  parseSubmittedMail(raw).catch(({ message }: Error) => ({ fault: message })),
)
