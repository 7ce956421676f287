/** The script of the thread that reads what comes back: takes a mail, answers what it says, takes the next. */
import { parentPort } from 'node:worker_threads'
import { readReport } from './read-report.ts'
import type { Mail } from './reader.ts'

const port = parentPort!
port.on('message', ({ raw, isFromNobody }: Mail) => {
  readReport(raw, { isFromNobody }).then(
    (reports) => port.postMessage(reports),
    // As what is thrown where nobody waits: the thread ends, and says why.
    (error: unknown) =>
      setImmediate(() => {
        throw error
      }),
  )
})
