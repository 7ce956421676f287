import { Worker } from 'node:worker_threads'
import { startDeadline, type Allowance } from './deadline.ts'
import type { Outcome, ThreadAnswer, ThreadJob } from './protocol.ts'

const SCRIPT = new URL('./thread.ts', import.meta.url)

/** The fields by their numbers: `render-engine.ts` has the same order, and must not be loaded here. */
const FIELDS = ['subject', 'html', 'text'] as const

/** How long a thread may take to be there, in milliseconds: it loads some modules, on a machine that may be busy. */
const START_MS = 30_000

export interface RenderThreadOptions extends Allowance {
  memoryMb: number
}

/** A thread that does one job at a time, and is ended when a job takes too long. */
export class RenderThread {
  /** It takes no further job: another one has to take its place. */
  ended = false
  /** It was there: what went wrong after that is about a job. */
  started = false
  /** Settles when it uses nothing any more: one long call goes on behind its end. */
  readonly gone: Promise<void>
  private readonly worker: Worker
  private readonly current = new SharedArrayBuffer(4)
  private readonly ready: Promise<void>
  private readonly allowance: Allowance

  constructor({ memoryMb, ...allowance }: RenderThreadOptions) {
    this.allowance = allowance
    this.worker = new Worker(SCRIPT, {
      // What the process was told (passwords, too) is none of a template's business.
      env: {},
      workerData: { current: this.current },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    })
    this.worker.once('exit', () => (this.ended = true))
    this.gone = new Promise((gone) => this.worker.once('exit', () => gone()))
    // A thread that dies while it has no job is replaced by the next job.
    this.worker.on('error', () => (this.ended = true))
    this.ready = new Promise((resolve, reject) => {
      const late = setTimeout(() => this.end(), START_MS).unref()
      this.worker.once('message', () => {
        clearTimeout(late)
        this.started = true
        resolve()
      })
      this.worker.once('error', reject)
      this.worker.once('exit', () => {
        clearTimeout(late)
        reject(new Error('A thread of the renderer did not start'))
      })
    })
    this.ready.catch(() => undefined)
  }

  /** @throws when the thread itself is broken, which says nothing about the job. */
  async run(job: ThreadJob): Promise<Outcome> {
    this.worker.ref()
    try {
      await this.ready
      return await this.answerTo(job)
    } finally {
      // A process that has nothing else to do may end.
      if (!this.ended) this.worker.unref()
    }
  }

  end(): void {
    this.ended = true
    void this.worker.terminate()
  }

  private answerTo(job: ThreadJob): Promise<Outcome> {
    const { worker } = this
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        deadline.end()
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        finish()
      }
      const field = () => FIELDS[Atomics.load(new Int32Array(this.current), 0)] ?? 'subject'
      const onMessage = (answer: ThreadAnswer) => settle(() => resolve(answer as Outcome))
      const onError = (error: NodeJS.ErrnoException) =>
        settle(() =>
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ kind: 'memory', field: field() }) : reject(error),
        )
      const onExit = () => settle(() => reject(new Error('A thread of the renderer ended')))
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)

      const deadline = startDeadline(this.allowance, worker, (kind) =>
        settle(() => {
          this.end()
          resolve({ kind, field: field() })
        }),
      )
      worker.postMessage(job)
    })
  }
}
