/** Script of the thread that reads returned mail. */
import { answerJobs } from '../platform/answer-jobs.ts'
import { readReport } from './read-report.ts'
import type { Mail } from './reader.ts'

answerJobs(({ raw, isFromNobody }: Mail) => readReport(raw, { isFromNobody }))
