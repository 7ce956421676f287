/** The script of the thread of a renderer process. It runs one job after another. */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { check, type Field, FieldError, render, renderTexts } from './engine.ts'
import type { EmailContent, RenderedEmail, TemplateProblem, TemplateVariables } from './content.ts'
import { FIELDS, MAX_BATCH_MS, type ProcessResponse, type RenderJob } from './protocol.ts'

const port = parentPort!
const respond = (response: ProcessResponse) => port.postMessage(response)
const { progressFd } = workerData as { progressFd: number }
/** Written synchronously, so that the field in progress is known even if the process dies. */
const begin = (field: Field) => writeSync(progressFd, Uint8Array.of(FIELDS.indexOf(field)))

/** Renders one email of many. A failure affects only this email. */
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

/** Renders as many emails as time allows, but at least one. */
function renderSome({ variables, ...job }: Extract<RenderJob, { kind: 'render-all' }>): ProcessResponse {
  const until = performance.now() + MAX_BATCH_MS
  for (const each of variables) {
    respond({ kind: 'rendered-one', email: renderOne(job, each) })
    if (performance.now() > until) break
  }
  return { kind: 'render-all', emails: [] }
}

async function run(job: RenderJob): Promise<ProcessResponse> {
  switch (job.kind) {
    case 'check':
      return { kind: 'check', findings: check(job.content, job.key, begin) }
    case 'render-all':
      return renderSome(job)
    case 'render-texts':
      return { kind: 'render-texts', rendered: renderTexts(job.texts, job.variables, job.key, begin) }
    case 'compile': {
      // The libraries for compiling are loaded on first use.
      const { compile } = await import('./compile.ts')
      return { kind: 'compile', template: await compile(job.input, job.key, begin) }
    }
  }
}

port.on('message', (job: RenderJob) => {
  run(job).then(
    respond,
    // Rethrows as an uncaught exception: the process is broken, and reports it.
    (error: unknown) =>
      setImmediate(() => {
        throw error
      }),
  )
})
respond({ kind: 'ready' })
