import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface JobThreadOptions {
  /** The code of the thread: see `runJobs`. */
  script: URL
  /** Returns the milliseconds that a job may take. */
  maxMs: () => number
  /** Megabytes that the thread may use. Node usually ends only the thread, but a very fast allocation can abort the process. */
  maxMb: number
}

export interface JobThread<Job, Result> {
  /** Runs a job after all earlier ones. @throws {JobTookTooLong} if it exceeds its time; {Error} if it exceeds its memory or fails */
  run(job: Job): Promise<Result>
  close(): Promise<void>
}

/** A job exceeded its time: its input is crafted, or the machine is busy. */
export class JobTookTooLong extends Error {}

/**
 * Works on untrusted input in a separate thread, which is terminated if a job takes too long. A parser or a regular expression can take
 * hours on crafted input and would block the process.
 */
export function createJobThread<Job, Result>({ script, maxMs, maxMb }: JobThreadOptions): JobThread<Job, Result> {
  let thread: Worker | undefined
  let isClosed = false
  /** Settles when the newest job has ended. */
  let last: Promise<unknown> = Promise.resolve()

  function start(): Worker {
    const started = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: maxMb } })
    // An idle thread must not keep the process alive. Errors reach the caller that waits for the result.
    started
      .on('error', () => undefined)
      .once('exit', () => {
        if (thread === started) thread = undefined
      })
    started.unref()
    return started
  }

  async function work(job: Job): Promise<Result> {
    if (isClosed) throw new Error('The thread is closed')
    const worker = (thread ??= start())
    const over = new AbortController()
    const late = setTimeout(() => over.abort(new JobTookTooLong('The job took too long')), maxMs())
    const exit = once(worker, 'exit', { signal: over.signal })
    exit.catch(() => undefined)
    try {
      worker.postMessage(job)
      const answer = once(worker, 'message', { signal: over.signal }) as Promise<[Result]>
      const [result] = await Promise.race([answer, exit.then(() => Promise.reject(new Error('The thread ended')))])
      return result
    } catch (error) {
      if (thread === worker) thread = undefined
      await worker.terminate()
      throw over.signal.aborted ? (over.signal.reason as Error) : error
    } finally {
      clearTimeout(late)
      over.abort()
    }
  }

  return {
    run(job) {
      const result = last.then(() => work(job))
      last = result.catch(() => undefined)
      return result
    },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
  }
}
