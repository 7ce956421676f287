import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Reports } from './read-report.ts'

const SCRIPT = new URL('./reading-thread.ts', import.meta.url)
/** Maximum milliseconds to read a mail. The largest real report takes one second, or a few on a busy machine. */
const MAX_MS = 10_000
const MAX_MB = 128

export interface Mail {
  raw: Uint8Array
  isFromNobody: boolean
}

export interface Reader {
  /**
   * Reads a mail, one at a time. @throws {Error} if that takes too long or too much memory, because the mail is crafted or the
   * machine is busy
   */
  read(mail: Mail): Promise<Reports>
  close(): Promise<void>
}

/**
 * Reads untrusted mails in a separate thread, which is terminated if a mail takes too long. A regular expression can take hours
 * on crafted input and would block the process.
 *
 * @param script code of the thread; tests pass a different one
 */
export function createReader({ mostMs = MAX_MS, script = SCRIPT } = {}): Reader {
  let thread: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const started = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MAX_MB } })
    // An idle thread must not keep the process alive. Errors reach the caller that waits for the result.
    started
      .on('error', () => undefined)
      .once('exit', () => {
        if (thread === started) thread = undefined
      })
    started.unref()
    return started
  }

  return {
    async read(mail) {
      if (isClosed) throw new Error('The reader is closed')
      const reading = (thread ??= start())
      const over = new AbortController()
      const late = setTimeout(() => over.abort(new Error('Reading a mail took too long')), mostMs)
      const exit = once(reading, 'exit', { signal: over.signal })
      exit.catch(() => undefined)
      try {
        reading.postMessage(mail)
        const result = once(reading, 'message', { signal: over.signal }) as Promise<[Reports]>
        const [reports] = await Promise.race([
          result,
          exit.then(() => Promise.reject(new Error('The reader thread ended'))),
        ])
        return reports
      } catch (error) {
        clearTimeout(late)
        if (thread === reading) thread = undefined
        await reading.terminate()
        throw over.signal.aborted ? (over.signal.reason as Error) : error
      } finally {
        clearTimeout(late)
        over.abort()
      }
    },
    async close() {
      isClosed = true
      await thread?.terminate()
    },
  }
}
