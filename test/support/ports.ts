import { createServer } from 'node:net'
import getPort from 'get-port'

/** Ports that nothing listens on now. */
export const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => getPort({ host: '127.0.0.1' })))

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)))
  })

/**
 * So many ports in a row that nothing listens on now, below those that the system gives to whoever asks for any: Temporal's
 * schema for Postgres has no place for higher ones.
 * @returns the first.
 */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = 15_000 + Math.floor(Math.random() * 15_000)
    const taken = await Promise.all(Array.from({ length: count }, (_, n) => listens(first + n)))
    if (!taken.includes(true)) return first
  }
}
