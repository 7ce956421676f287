import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningProcess } from './child-process.ts'

const START_TIMEOUT_MS = 60_000

export interface PortSetting {
  variable: string
  port: number
  host: string
}

/** @throws {Error} that names two variables with the same port of the same address */
export function assertPortsDiffer(places: readonly PortSetting[]): void {
  for (const [index, one] of places.entries()) {
    const other = places.slice(0, index).find((each) => each.port === one.port && overlap(each.host, one.host))
    if (other)
      throw new Error(`${other.variable} and ${one.variable} are both ${one.port}. Set one of them to another port.`)
  }
}

const EVERY_ADDRESS = ['0.0.0.0', '::']
const overlap = (one: string, other: string): boolean =>
  one === other || EVERY_ADDRESS.includes(one) || EVERY_ADDRESS.includes(other)

/** Errors for a host on which no process can listen: it has no address, or that of another machine. */
const INVALID_HOST = ['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL']

/**
 * @param host the value of `HOST`, if it applies
 * @throws {Error} that names the variable to set if the host is invalid or the port is in use
 */
export function assertPortFree(variable: string, port: number, host = '127.0.0.1'): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const { code = '' } = error
      if (code === 'EADDRINUSE') {
        reject(new Error(`Port ${port} is in use by another program. Set ${variable} to a free port.`))
      } else if (INVALID_HOST.includes(code)) {
        reject(new Error(`HOST (${host}) is not an address of this machine (${code}).\nRemove it, or set it to one.`))
      } else reject(new Error(`Port ${port} (${variable}) cannot be used: ${error.message}`))
    })
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

/** Waits until a process listens on its port. @throws {Error} that names its log, if it ends or takes too long */
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
