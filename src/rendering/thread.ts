/** The script of the thread of a renderer's process: takes a job, answers it, takes the next. */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { check, type Field, FieldError, render } from './engine.ts'
import type { EmailContent, RenderedEmail, TemplateProblem, TemplateVariables } from './content.ts'
import { FIELDS, PART_MS, type ProcessAnswer, type RenderJob } from './protocol.ts'

const port = parentPort!
const tell = (answer: ProcessAnswer) => port.postMessage(answer)
const { progressFd } = workerData as { progressFd: number }
/** Written at once, for whoever has to know when all of this has died in the midst of it. */
const begin = (field: Field) => writeSync(progressFd, Uint8Array.of(FIELDS.indexOf(field)))

/** One of many: what it fails of is its own. */
function renderOne(
  { content, key }: { content: EmailContent; key: string },
  variables: TemplateVariables,
): RenderedEmail | TemplateProblem {
  try {
    return render(content, variables, key, begin)
  } catch (error) {
    if (error instanceof FieldError) return { field: error.field, problem: error.message }
    throw error
  }
}

/** As many as their time allows, and one at least. */
function renderSome({ variables, ...job }: Extract<RenderJob, { kind: 'render-all' }>): ProcessAnswer {
  const until = performance.now() + PART_MS
  for (const each of variables) {
    tell({ kind: 'rendered-one', email: renderOne(job, each) })
    if (performance.now() > until) break
  }
  return { kind: 'rendered-all', emails: [] }
}

async function answer(job: RenderJob): Promise<ProcessAnswer> {
  try {
    switch (job.kind) {
      case 'check':
        return { kind: 'checked', findings: check(job.content, job.key, begin) }
      case 'render':
        return { kind: 'rendered', email: render(job.content, job.variables, job.key, begin) }
      case 'render-all':
        return renderSome(job)
      case 'compile': {
        // What only those need who write templates is loaded when one of them does.
        const { compile } = await import('./compile.ts')
        return { kind: 'compiled', template: await compile(job.input, job.key, begin) }
      }
    }
  } catch (error) {
    if (error instanceof FieldError) return { kind: 'failed', field: error.field, problem: error.message }
    throw error
  }
}

port.on('message', (job: RenderJob) => {
  answer(job).then(
    tell,
    // As what is thrown where nobody waits: the process is broken, and says so.
    (error: unknown) =>
      setImmediate(() => {
        throw error
      }),
  )
})
tell({ kind: 'ready' })
