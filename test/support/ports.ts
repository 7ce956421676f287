import { createServer } from 'node:net'
import getPort, { portNumbers } from 'get-port'

/** Returns a port below the ephemeral ports of the system, one of which could be taken before it is used. */
const somewhere = (): number => 15_000 + Math.floor(Math.random() * 15_000)

/** Returns ports on which no process listens. */
export const freePorts = (count: number): Promise<number[]> =>
  Promise.all(
    Array.from({ length: count }, () => {
      const first = somewhere()
      return getPort({ host: '127.0.0.1', port: portNumbers(first, first + 500) })
    }),
  )

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)))
  })

/**
 * Finds consecutive free ports: Temporal's schema for Postgres does not allow high ones.
 * @returns the first
 */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = somewhere()
    const taken = await Promise.all(Array.from({ length: count }, (_, n) => listens(first + n)))
    if (!taken.includes(true)) return first
  }
}
