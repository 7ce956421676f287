/** Script of the thread that parses submitted mail. */
import PostalMime from 'postal-mime'
import { answerJobs } from '../platform/answer-jobs.ts'
import type { ParsedMail } from './mail-parser.ts'

answerJobs((raw: Uint8Array): Promise<ParsedMail> =>
  PostalMime.parse(raw).catch(({ message }: Error) => ({ fault: message })),
)
