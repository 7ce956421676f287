import { createJobProcess, type JobProcess } from '../platform/job-process.ts'
import type { Reports } from './read-report.ts'

/** Maximum milliseconds to read a mail. The largest real report takes one second, or a few on a busy machine. */
const MAX_MS = 10_000
const MAX_MB = 128

/** A returned mail. */
export interface Mail {
  raw: Uint8Array
  isFromNobody: boolean
}

/** Reads returned mails in a process of their own. */
export const createReader = ({ maxMs = MAX_MS } = {}): JobProcess<Mail, Reports> =>
  createJobProcess({ script: new URL('./reading-process.ts', import.meta.url), maxMs: () => maxMs, maxMb: MAX_MB })
