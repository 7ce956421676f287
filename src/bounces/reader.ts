import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Reports } from './read-report.ts'

const SCRIPT = new URL('./reading-thread.ts', import.meta.url)
/** What a mail may take to be read, in milliseconds: the largest that says something takes a second, on a machine that is busy some. */
const MAX_MS = 10_000
const MAX_MB = 128

export interface Mail {
  raw: Uint8Array
  isFromNobody: boolean
}

export interface Reader {
  /** Of one mail at a time. @throws {Error} where it takes too long, or too much: somebody has thought of it, or the machine is busy */
  read(mail: Mail): Promise<Reports>
  close(): Promise<void>
}

/**
 * Reads mails from anybody in a thread of its own, which is ended where one takes too much: expressions that look for something in a text
 * can take hours of one that somebody has thought of, and nothing else would go on meanwhile.
 *
 * @param script what the thread runs; another one in tests
 */
export function createReader({ mostMs = MAX_MS, script = SCRIPT } = {}): Reader {
  let thread: Worker | undefined
  let isClosed = false

  function start(): Worker {
    const started = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: MAX_MB } })
    // One that waits keeps no process alive; and what is wrong with it, whoever waits for its answer hears.
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
      if (isClosed) throw new Error('No more mail is read')
      const reading = (thread ??= start())
      const over = new AbortController()
      const late = setTimeout(() => over.abort(new Error('A mail takes too long to be read')), mostMs)
      const exit = once(reading, 'exit', { signal: over.signal })
      exit.catch(() => undefined)
      try {
        reading.postMessage(mail)
        const answer = once(reading, 'message', { signal: over.signal }) as Promise<[Reports]>
        const [reports] = await Promise.race([answer, exit.then(() => Promise.reject(new Error('It ended')))])
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
