import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { JobAnswer } from './run-jobs.ts'

export interface JobProcessOptions {
  /** The code of the process: see `runJobs`. */
  script: URL
  /** Returns the milliseconds that a job may take. */
  maxMs: () => number
  /** Megabytes that the process may use for JavaScript. */
  maxMb: number
}

export interface JobProcess<Job, Result> {
  /** Runs a job after all earlier ones. @throws {JobTookTooLong}; {JobEndedProcess}; {Error} if the job fails */
  run(job: Job): Promise<Result>
  close(): Promise<void>
}

/** A job exceeded its time: its input is crafted, or the machine is busy. */
export class JobTookTooLong extends Error {}

/** A job ended its process: it exceeded the memory. */
export class JobEndedProcess extends Error {}

/**
 * Works on untrusted input in a separate process, which is killed if a job takes too long. A parser or a regular expression can take
 * hours on crafted input and would block this process. It is not a thread, because one that exceeds its memory can abort all others.
 */
export function createJobProcess<Job, Result>({ script, maxMs, maxMb }: JobProcessOptions): JobProcess<Job, Result> {
  let child: ChildProcess | undefined
  let isClosed = false
  /** Settles when the newest job has ended. */
  let last: Promise<unknown> = Promise.resolve()

  function start(): ChildProcess {
    const started = fork(fileURLToPath(script), [], {
      env: {},
      execArgv: [`--max-old-space-size=${maxMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // An idle process must not keep this one alive.
    started.unref()
    started.channel?.unref()
    started
      .on('error', () => undefined)
      .once('exit', () => {
        if (child === started) child = undefined
      })
    return started
  }

  async function work(job: Job): Promise<Result> {
    if (isClosed) throw new Error('The process for jobs is closed')
    const worker = (child ??= start())
    const over = new AbortController()
    const late = setTimeout(() => over.abort(new JobTookTooLong('The job took too long')), maxMs())
    const { signal } = over
    const exit = once(worker, 'exit', { signal }).then(() => Promise.reject(new JobEndedProcess('The process ended')))
    exit.catch(() => undefined)
    try {
      const answered = once(worker, 'message', { signal }) as Promise<[JobAnswer<Result>]>
      worker.send(job as object)
      const [answer] = await Promise.race([answered, exit])
      if ('problem' in answer) throw new Error(answer.problem)
      return answer.result
    } catch (error) {
      if (signal.aborted) worker.kill('SIGKILL')
      if (signal.aborted && child === worker) child = undefined
      throw signal.aborted ? (signal.reason as Error) : error
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
      if (!child) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
