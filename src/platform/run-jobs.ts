/** The answer to a job. */
export type JobAnswer<Result> = { result: Result } | { problem: string }

/** Runs the jobs that a process receives: the other side of `createJobProcess`. */
export function runJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  const answer = (what: JobAnswer<Result>) => void process.send!(what)
  process.on('message', (job: Job) => {
    work(job).then(
      (result) => answer({ result }),
      (error: unknown) => answer({ problem: error instanceof Error ? error.message : String(error) }),
    )
  })
  // Ctrl-C in a terminal reaches this process, too. Its parent ends it.
  process.on('SIGINT', () => undefined)
  process.once('disconnect', () => process.exit())
}
