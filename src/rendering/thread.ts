/** The script of the thread of a renderer's process: takes a job, answers it, takes the next. */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { check, type Field, FieldError, render } from './engine.ts'
import { FIELDS, type ProcessAnswer, type RenderJob } from './protocol.ts'

const port = parentPort!
const { progressFd } = workerData as { progressFd: number }
/** Written at once, for whoever has to know when all of this has died in the midst of it. */
const begin = (field: Field) => writeSync(progressFd, Uint8Array.of(FIELDS.indexOf(field)))

function answer(job: RenderJob): ProcessAnswer {
  try {
    return job.kind === 'check'
      ? { kind: 'checked', findings: check(job.content, job.key, begin) }
      : { kind: 'rendered', email: render(job.content, job.variables, job.key, begin) }
  } catch (error) {
    if (error instanceof FieldError) return { kind: 'failed', field: error.field, problem: error.message }
    throw error
  }
}

port.on('message', (job: RenderJob) => port.postMessage(answer(job)))
port.postMessage({ kind: 'ready' } satisfies ProcessAnswer)
