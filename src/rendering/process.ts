/**
 * The script of a process of the renderer. Its thread does the jobs, and it watches over the thread. A thread alone would not do:
 * memory that is asked for in one step, beyond what there is, ends the whole process, and one long call ends with it only.
 */
import './leave-signals.ts'
import { Worker } from 'node:worker_threads'
import { type Deadline, startDeadline } from './deadline.ts'
import { PART_MS, type ProcessAnswer, PROGRESS_FD, type RenderJob, type RenderProcessOptions } from './protocol.ts'

const { memoryMb, ...allowance } = JSON.parse(process.argv[2]!) as RenderProcessOptions

/** How often it is looked how much memory this process has, in milliseconds. */
const LOOK_MS = 20
/** What it may have, in bytes: what is made outside of V8's heap (for dates, say) is in nobody else's count. */
const MAX_BYTES = (2 * memoryMb + 128) * 2 ** 20

/** So many times as long as a rendering a compilation may take: once a version, with all that it has to load. */
const COMPILING = 5

let deadline: Deadline | undefined
let look: NodeJS.Timeout | undefined

const thread = new Worker(new URL('./thread.ts', import.meta.url), {
  workerData: { progressFd: PROGRESS_FD },
  // What an email leaves behind it, some megabytes, is to die young: with a third of that, rendering took half as long again.
  resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 48, stackSizeMb: 4 },
})

/** The processor time of all threads: also of one that is in the midst of a call, and of those that collect its garbage. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function tell(answer: ProcessAnswer): void {
  if (answer.kind !== 'rendered-one') {
    deadline?.end()
    clearInterval(look)
  }
  process.send!(answer)
}

thread.on('message', tell)
thread.on('error', (error: NodeJS.ErrnoException) => {
  tell(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'memory' } : { kind: 'broken', problem: error.message })
})

process.on('message', (job: RenderJob) => {
  const { deadlineMs } = allowance
  // The last of many has as much as one alone, behind those before it.
  const before = job.kind === 'render-all' && job.variables.length > 1 ? PART_MS : 0
  const most = { ...allowance, deadlineMs: before + deadlineMs * (job.kind === 'compile' ? COMPILING : 1) }
  deadline = startDeadline(most, usedMs, (kind) => tell({ kind }))
  look = setInterval(() => {
    if (process.memoryUsage.rss() > MAX_BYTES) tell({ kind: 'memory' })
  }, LOOK_MS)
  thread.postMessage(job)
})

// Whoever it renders for has gone, also by `kill -9`. A polite exit would wait for the thread.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
