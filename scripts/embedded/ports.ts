import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningProcess } from './process.ts'

const START_TIMEOUT_MS = 60_000

/** @throws {Error} that names the variable to set, when something listens on the port already. */
export function assertPortFree(variable: string, port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Error(
          error.code === 'EADDRINUSE'
            ? `Port ${port} is taken by another program. Set ${variable} to a free one.`
            : `Port ${port} (${variable}) can't be used: ${error.message}`,
        ),
      ),
    )
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

/** Waits until a process listens on its port. @throws {Error} that names its log, when it ends before or takes too long. */
export async function waitForPort(
  what: string,
  port: number,
  process: RunningProcess,
  aborted: AbortSignal,
): Promise<void> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; await delay(50)) {
    if (aborted.aborted) {
      await process.stop()
      throw aborted.reason
    }
    if (process.hasEnded()) throw new Error(`${what} does not start. Its log: ${process.log}`)
    if (await accepts(port)) return
  }
  await process.stop()
  throw new Error(`${what} did not start within ${START_TIMEOUT_MS / 1000} s. Its log: ${process.log}`)
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
