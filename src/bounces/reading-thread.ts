/** Script of the reader thread: receives a mail, posts its reports, and waits for the next one. */
import { parentPort } from 'node:worker_threads'
import { readReport } from './read-report.ts'
import type { Mail } from './reader.ts'

const port = parentPort!
port.on('message', ({ raw, isFromNobody }: Mail) => {
  readReport(raw, { isFromNobody }).then(
    (reports) => port.postMessage(reports),
    // Throws outside the promise, so that the thread ends with the error.
    (error: unknown) =>
      setImmediate(() => {
        throw error
      }),
  )
})
