import { randomInt } from 'node:crypto'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import getPort from 'get-port'

/** The names of this machine under which a browser on it opens the UI. */
const NAMES = ['localhost', '127.0.0.1', '[::1]']

/** The address at which Temporal's UI itself listens. */
export interface InnerUi {
  host: string
  port: number
}

/**
 * Chooses where the UI itself listens: at a loopback address that no web page can guess. macOS has only one such address, so there
 * only the port is unknown.
 */
export async function chooseInnerUi(): Promise<InnerUi> {
  const host =
    process.platform === 'linux' ? `127.${randomInt(1, 256)}.${randomInt(256)}.${randomInt(1, 255)}` : '127.0.0.1'
  return { host, port: await getPort({ host }) }
}

/**
 * Serves Temporal's UI under the names of this machine only. The UI itself answers to any name, so a web page whose name resolves to
 * 127.0.0.1 (DNS rebinding) could read and terminate workflows.
 *
 * @returns a function that stops it
 */
export async function serveTemporalUi(port: number, inner: InnerUi): Promise<() => Promise<void>> {
  const server = createServer((incoming, response) => {
    if (!NAMES.includes(nameOf(incoming))) {
      response.writeHead(403, { 'Content-Type': 'text/plain' })
      response.end(`Temporal's UI is served only at http://localhost:${port}\n`)
      return
    }
    forward(incoming, response, inner)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
}

/** The name in the Host header, without the port. */
const nameOf = ({ headers }: IncomingMessage): string => (headers.host ?? '').toLowerCase().replace(/:\d+$/, '')

function forward(incoming: IncomingMessage, response: ServerResponse, { host, port }: InnerUi): void {
  const { method, url, headers } = incoming
  const outgoing = request({ host, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    // Either side may close the connection at any time.
    pipeline(answer, response, () => undefined)
  })
  outgoing.on('error', () => {
    if (response.headersSent) return void response.destroy()
    response.writeHead(502, { 'Content-Type': 'text/plain' })
    response.end("Temporal's UI does not answer. Its log: logs/temporal.log in the data folder\n")
  })
  pipeline(incoming, outgoing, () => undefined)
}
