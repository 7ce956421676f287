/** Script of the process that reads returned mail. */
import { runJobs } from '../platform/run-jobs.ts'
import { readReport } from './read-report.ts'
import type { Mail } from './reader.ts'

runJobs(({ raw, isFromNobody }: Mail) => readReport(raw, { isFromNobody }))
