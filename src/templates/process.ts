/**
 * The script of a process of the renderer. Its thread does the jobs, and it watches over the thread. A thread alone would not do:
 * memory that is asked for in one step, beyond what there is, ends the whole process, and one long call ends with it only.
 */
import { Worker } from 'node:worker_threads'
import { type Deadline, startDeadline } from './deadline.ts'
import { type ProcessAnswer, PROGRESS_FD, type RenderJob, type RenderProcessOptions } from './protocol.ts'

const { memoryMb, ...allowance } = JSON.parse(process.argv[2]!) as RenderProcessOptions
let deadline: Deadline | undefined

const thread = new Worker(new URL('./thread.ts', import.meta.url), {
  workerData: { progressFd: PROGRESS_FD },
  resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
})

function tell(answer: ProcessAnswer): void {
  deadline?.end()
  process.send!(answer)
}

thread.on('message', tell)
thread.on('error', (error: NodeJS.ErrnoException) => {
  tell(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { kind: 'memory' } : { kind: 'broken', problem: error.message })
})

process.on('message', (job: RenderJob) => {
  deadline = startDeadline(allowance, thread, (kind) => tell({ kind }))
  thread.postMessage(job)
})

// Whoever it renders for has gone, also by `kill -9`. A polite exit would wait for the thread.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
// Ctrl-C is for all processes of a terminal: whoever it renders for finishes what is in progress.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
