import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const VARIABLE = 'TEST_MAIN_PROCESS'

/**
 * Offers the shared servers to the test processes, which Mocha starts with this process's environment. A server starts at the
 * first request for it.
 *
 * @param start starts a server and returns its addresses, by path
 */
export async function offerToTestProcesses(start: Record<string, () => Promise<unknown>>): Promise<void> {
  const server = createServer((request, response) => {
    const starting = start[request.url ?? '']?.() ?? Promise.reject(new Error(`Unknown path ${request.url}`))
    starting.then(
      (addresses) => response.end(JSON.stringify(addresses)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  process.env[VARIABLE] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Requests a server from Mocha's main process. @returns undefined in a script that runs without Mocha */
export async function askMainProcess<Addresses>(path: string): Promise<Addresses | undefined> {
  const origin = process.env[VARIABLE]
  if (origin === undefined) return undefined
  const response = await fetch(origin + path)
  if (!response.ok) throw new Error(`The shared servers did not start: ${await response.text()}`)
  return (await response.json()) as Addresses
}
