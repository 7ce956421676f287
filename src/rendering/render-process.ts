import { fork, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import {
  type Death,
  FIELDS,
  type Outcome,
  type ProcessAnswer,
  PROGRESS_FD,
  type RenderedOne,
  type RenderJob,
  type RenderProcessOptions,
} from './protocol.ts'

const SCRIPT = new URL('./process.ts', import.meta.url)

/** How long a process may take to be there, in milliseconds: it loads some modules, on a machine that may be busy. */
const START_MS = 30_000

/** How much longer than a job may take on the wall its process is waited for, in milliseconds: it watches over that itself. */
const SILENT_MS = 30_000

const isDeath = (answer: ProcessAnswer): answer is { kind: Death } =>
  answer.kind === 'late' || answer.kind === 'memory' || answer.kind === 'busy'

/** A process that does one job at a time, and is ended when a job takes too much. */
export class RenderProcess {
  /** It takes no further job: another one has to take its place. */
  ended = false
  /** It was there: what went wrong after that is about a job. */
  started = false
  private readonly child: ChildProcess
  /** Where no process can be started there is none. */
  private readonly progress: (Readable & { ref(): void; unref(): void }) | undefined
  private readonly ready: Promise<void>
  private readonly wallMs: number
  private killed = false
  /** The number of the field in progress: it is known of a process that died in the midst of it, too. */
  private field = 0

  constructor(options: RenderProcessOptions) {
    this.wallMs = options.wallMs
    this.child = fork(SCRIPT, [JSON.stringify(options)], {
      // What this process was told (passwords, too) is none of a template's business.
      env: {},
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    })
    // One that dies while it has no job is replaced by the next job. Heard from the first moment: it may not even be started.
    this.child.on('error', () => (this.ended = true)).once('exit', () => (this.ended = true))
    this.progress = (this.child.stdio as ChildProcess['stdio'] | undefined)?.[PROGRESS_FD] as typeof this.progress
    this.progress?.on('data', (fields: Buffer) => (this.field = fields.at(-1)!))
    // Its thread has gone, or has to: with or without a job it is no use any more.
    this.child.on('message', (answer: ProcessAnswer) => {
      if (answer.kind === 'broken' || isDeath(answer)) this.end()
    })
    this.ready = new Promise((resolve, reject) => {
      const late = setTimeout(() => this.end(), START_MS).unref()
      this.child.once('message', (answer: ProcessAnswer) => {
        clearTimeout(late)
        if (answer.kind === 'broken') return reject(new Error(answer.problem))
        this.started = true
        resolve()
      })
      this.child.once('error', reject)
      this.child.once('close', () => {
        clearTimeout(late)
        reject(new Error('A process of the renderer did not start'))
      })
    })
    this.ready.catch(() => undefined)
    this.keepAlive(false)
  }

  /** @throws when the process itself is broken, which says nothing about the job. */
  async run(job: RenderJob): Promise<Outcome> {
    this.keepAlive(true)
    try {
      await this.ready
      return await this.answerTo(job)
    } finally {
      this.keepAlive(false)
    }
  }

  /** Nothing holds it back: also not one long call of its thread. */
  end(): void {
    this.ended = true
    this.killed = true
    this.child.kill('SIGKILL')
  }

  /** A process that has nothing else to do than to wait for jobs may end. */
  private keepAlive(keep: boolean): void {
    for (const handle of [this.child, this.child.channel, this.progress]) {
      if (keep) handle?.ref()
      else handle?.unref()
    }
  }

  private answerTo(job: RenderJob): Promise<Outcome> {
    const { child } = this
    const emails: RenderedOne['email'][] = []
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(silent)
        child.off('message', onAnswer).off('close', onClose)
        finish()
      }
      const die = (kind: Death) => {
        this.end()
        resolve({ kind, field: FIELDS[this.field] ?? 'subject', done: emails })
      }
      const onAnswer = (answer: ProcessAnswer) => {
        if (answer.kind === 'rendered-one') return void emails.push(answer.email)
        settle(() => {
          if (isDeath(answer)) die(answer.kind)
          else if (answer.kind === 'broken') reject(new Error(answer.problem))
          else if (answer.kind === 'ready') reject(new Error('It answered no job'))
          else resolve(answer.kind === 'rendered-all' ? { ...answer, emails } : answer)
        })
      }
      const onClose = (_code: number | null, signal: string | null) =>
        settle(() => {
          if (this.killed) return reject(new Error('A process of the renderer ended'))
          // SIGKILL is the machine's doing, or an operator's. All else is what V8 does where a job asks for too much at once.
          die(signal === 'SIGKILL' ? 'busy' : 'memory')
        })
      child.on('message', onAnswer).on('close', onClose)
      const silent = setTimeout(() => settle(() => die('busy')), this.wallMs + SILENT_MS)
      try {
        child.send(job)
      } catch (error) {
        settle(() => reject(new Error('A process of the renderer cannot be told of its job', { cause: error })))
      }
    })
  }
}
