import { fork, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import {
  type ProcessFailure,
  FIELDS,
  type Outcome,
  type ProcessResponse,
  PROGRESS_FD,
  type RenderedOne,
  type RenderJob,
  type RenderProcessOptions,
} from './protocol.ts'

const SCRIPT = new URL('./process.ts', import.meta.url)

/** Milliseconds within which a process must be ready. It loads several modules, possibly on a busy machine. */
const START_MS = 30_000

/**
 * Milliseconds beyond the wall-clock limit of a job after which an unresponsive process is ended. The process enforces the
 * limit itself.
 */
const SILENT_MS = 30_000

const isDeath = (response: ProcessResponse): response is { kind: ProcessFailure } =>
  response.kind === 'late' || response.kind === 'memory' || response.kind === 'busy'

/** A process that runs one job at a time, and is ended when a job exceeds its limits. */
export class RenderProcess {
  /** Set when it takes no further jobs and must be replaced. */
  isEnded = false
  /** Set when it became ready. Later errors are about a job. */
  isStarted = false
  private readonly child: ChildProcess
  /** Undefined if the process could not be started. */
  private readonly progress: (Readable & { ref(): void; unref(): void }) | undefined
  private readonly ready: Promise<void>
  private readonly wallMs: number
  private isKilled = false
  /** The index of the field in progress, which is known even if the process dies. */
  private field = 0

  constructor(options: RenderProcessOptions) {
    this.wallMs = options.wallMs
    this.child = fork(SCRIPT, [JSON.stringify(options)], {
      // The environment of this process, including passwords, must not be visible to templates. LiquidJS computes local times
      // with the process's own zone, which must not skip any.
      env: { TZ: 'UTC' },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    })
    // A process that dies while idle is replaced by the next job. Listen immediately, because it may fail to start.
    this.child.on('error', () => (this.isEnded = true)).once('exit', () => (this.isEnded = true))
    this.progress = (this.child.stdio as ChildProcess['stdio'] | undefined)?.[PROGRESS_FD] as typeof this.progress
    this.progress?.on('data', (fields: Buffer) => (this.field = fields.at(-1)!))
    // Its thread has exited or must be ended. Without it, the process is useless.
    this.child.on('message', (response: ProcessResponse) => {
      if (response.kind === 'broken' || isDeath(response)) this.end()
    })
    this.ready = new Promise((resolve, reject) => {
      const late = setTimeout(() => this.end(), START_MS).unref()
      this.child.once('message', (response: ProcessResponse) => {
        clearTimeout(late)
        if (response.kind === 'broken') return reject(new Error(response.problem))
        this.isStarted = true
        resolve()
      })
      this.child.once('error', reject)
      this.child.once('close', () => {
        clearTimeout(late)
        reject(new Error('A renderer process did not start'))
      })
    })
    this.ready.catch(() => undefined)
    this.keepAlive(false)
  }

  /** @throws if the process itself is broken, which is not the job's fault */
  async run(job: RenderJob): Promise<Outcome> {
    this.keepAlive(true)
    try {
      await this.ready
      return await this.responseTo(job)
    } finally {
      this.keepAlive(false)
    }
  }

  /** Ends the process immediately, even during a synchronous call of its thread. */
  end(): void {
    this.isEnded = true
    this.isKilled = true
    this.child.kill('SIGKILL')
  }

  /** Lets this process exit while the renderer process is idle. */
  private keepAlive(keep: boolean): void {
    for (const handle of [this.child, this.child.channel, this.progress]) {
      if (keep) handle?.ref()
      else handle?.unref()
    }
  }

  private responseTo(job: RenderJob): Promise<Outcome> {
    const { child } = this
    const emails: RenderedOne['email'][] = []
    return new Promise((resolve, reject) => {
      const finish = (report: () => void) => {
        clearTimeout(silent)
        child.off('message', onResponse).off('close', onClose)
        report()
      }
      const die = (kind: ProcessFailure) => {
        this.end()
        resolve({ kind, field: FIELDS[this.field] ?? 'subject', done: emails })
      }
      const onResponse = (response: ProcessResponse) => {
        if (response.kind === 'rendered-one') return void emails.push(response.email)
        finish(() => {
          if (isDeath(response)) die(response.kind)
          else if (response.kind === 'broken') reject(new Error(response.problem))
          else if (response.kind === 'ready') reject(new Error('A renderer process sent an unexpected message'))
          else resolve(response.kind === 'render-all' ? { ...response, emails } : response)
        })
      }
      const onClose = (_code: number | null, signal: string | null) =>
        finish(() => {
          if (this.isKilled) return reject(new Error('A renderer process ended'))
          // SIGKILL comes from the operating system or an operator. Other exits are V8's reaction to a job that allocates too
          // much at once.
          die(signal === 'SIGKILL' ? 'busy' : 'memory')
        })
      child.on('message', onResponse).on('close', onClose)
      const silent = setTimeout(() => finish(() => die('busy')), this.wallMs + SILENT_MS)
      try {
        child.send(job)
      } catch (error) {
        finish(() => reject(new Error('A job could not be sent to a renderer process', { cause: error })))
      }
    })
  }
}
