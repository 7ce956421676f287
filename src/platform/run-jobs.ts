import { parentPort } from 'node:worker_threads'

/** Runs the jobs that a thread receives: the other side of `createJobThread`. A job that fails ends the thread. */
export function runJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  const port = parentPort!
  port.on('message', (job: Job) => {
    work(job).then(
      (result) => port.postMessage(result),
      // Throws outside the promise, so that the thread ends with the error.
      (error: unknown) =>
        setImmediate(() => {
          throw error
        }),
    )
  })
}
