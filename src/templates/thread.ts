/** The script of a thread of the renderer: takes a job, answers it, takes the next. */
import { parentPort, workerData } from 'node:worker_threads'
import { check, FIELDS, FieldError, render } from './engine.ts'
import type { ThreadAnswer, ThreadJob } from './protocol.ts'

const port = parentPort!
/** The number of the field in progress, for whoever has to end this thread in the midst of it. */
const current = new Int32Array((workerData as { current: SharedArrayBuffer }).current)
const begin = (field: (typeof FIELDS)[number]) => Atomics.store(current, 0, FIELDS.indexOf(field))

function answer(job: ThreadJob): ThreadAnswer {
  try {
    return job.kind === 'check'
      ? { kind: 'checked', problems: check(job.content, job.key, begin) }
      : { kind: 'rendered', email: render(job.content, job.variables, job.key, begin) }
  } catch (error) {
    if (error instanceof FieldError) return { kind: 'failed', field: error.field, problem: error.message }
    throw error
  }
}

port.on('message', (job: ThreadJob) => port.postMessage(answer(job)))
port.postMessage({ kind: 'ready' } satisfies ThreadAnswer)
