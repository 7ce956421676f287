import { createJobThread, type JobThread } from '../platform/job-thread.ts'
import type { Reports } from './read-report.ts'

/** Maximum milliseconds to read a mail. The largest real report takes one second, or a few on a busy machine. */
const MAX_MS = 10_000
const MAX_MB = 128

/** A returned mail. */
export interface Mail {
  raw: Uint8Array
  isFromNobody: boolean
}

/** Reads returned mails in a thread of their own. */
export const createReader = ({ maxMs = MAX_MS } = {}): JobThread<Mail, Reports> =>
  createJobThread({ script: new URL('./reading-thread.ts', import.meta.url), maxMs: () => maxMs, maxMb: MAX_MB })
