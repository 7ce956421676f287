/**
 * The script of a renderer process. Its thread runs the jobs, and the process watches the thread. A thread alone would not be
 * enough: running out of memory ends the whole process, and only ending the process stops a long synchronous call.
 */
import './leave-signals.ts'
import { Worker } from 'node:worker_threads'
import { type Deadline, startDeadline } from './deadline.ts'
import {
  COMPILE_DEADLINE_FACTOR,
  MAX_BATCH_MS,
  type ProcessResponse,
  PROGRESS_FD,
  type RenderJob,
  type RenderProcessOptions,
} from './protocol.ts'

const { memoryMb, ...allowance } = JSON.parse(process.argv[2]!) as RenderProcessOptions

/** Milliseconds between two checks of the memory of this process. */
const MEMORY_CHECK_MS = 20
/** The memory limit in bytes. Memory outside of V8's heap (for dates, for example) is not limited otherwise. */
const MAX_BYTES = (2 * memoryMb + 128) * 2 ** 20

let deadline: Deadline | undefined
let memoryCheck: NodeJS.Timeout | undefined

const thread = new Worker(new URL('./thread.ts', import.meta.url), {
  workerData: { progressFd: PROGRESS_FD },
  // The garbage of an email, several megabytes, should stay in the young generation. With a third of this size, rendering took 50
  // % longer.
  resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 48, stackSizeMb: 4 },
})

/** The processor time of all threads, including one in a synchronous call and those of the garbage collector. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function respond(response: ProcessResponse): void {
  if (response.kind !== 'rendered-one') {
    deadline?.end()
    clearInterval(memoryCheck)
  }
  process.send!(response)
}

thread.on('message', respond)
thread.on('error', (error: NodeJS.ErrnoException) => {
  respond(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'memory' } : { kind: 'broken', problem: error.message })
})

process.on('message', (job: RenderJob) => {
  const { deadlineMs } = allowance
  // The last of many emails gets as much time as a single email, after the preceding ones.
  const before = job.kind === 'render-all' && job.variables.length > 1 ? MAX_BATCH_MS : 0
  const limits = {
    ...allowance,
    deadlineMs: before + deadlineMs * (job.kind === 'compile' ? COMPILE_DEADLINE_FACTOR : 1),
  }
  deadline = startDeadline(limits, usedMs, (kind) => respond({ kind }))
  memoryCheck = setInterval(() => {
    if (process.memoryUsage.rss() > MAX_BYTES) respond({ kind: 'memory' })
  }, MEMORY_CHECK_MS)
  thread.postMessage(job)
})

// The parent has exited, possibly by `kill -9`. A graceful exit would wait for the thread.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
