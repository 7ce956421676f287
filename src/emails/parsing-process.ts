/** Script of the process that parses submitted mail. */
import PostalMime from 'postal-mime'
import { runJobs } from '../platform/run-jobs.ts'
import type { ParsedMail } from './mail-parser.ts'

runJobs((raw: Uint8Array): Promise<ParsedMail> =>
  PostalMime.parse(raw).catch(({ message }: Error) => ({ fault: message })),
)
