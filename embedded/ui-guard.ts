import { createServer, type IncomingHttpHeaders, request as forward } from 'node:http'

/** What this machine calls itself in a browser. */
const OUR_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * What is between two neighbours alone, besides what `Connection` names (RFC 9110, section 7.6.1): the UI is asked anew. Passed
 * on, some of them make of a request one that Node refuses to send.
 */
const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export interface RunningGuard {
  stop(): Promise<void>
}

/**
 * Stands before Temporal's UI, which itself answers whoever it is asked as. A page of somebody else's whose name is made to
 * point at this machine (DNS rebinding) would read and terminate enrollments; its Host header tells.
 */
export function startUiGuard(port: number, uiPort: number): Promise<RunningGuard> {
  const server = createServer((request, response) => {
    const refuse = (status: number, words: string) => {
      if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain' })
      response.end(`${words}\n`)
    }
    if (!OUR_NAMES.includes(hostnameOf(request.headers.host ?? ''))) {
      return refuse(403, `Temporal's UI is served as http://localhost:${port} only.`)
    }
    const { method, url, headers } = request
    const options = { host: '127.0.0.1', port: uiPort, method, path: url, headers: ofEndToEnd(headers) }
    const inner = forward(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, ofEndToEnd(answer.headers))
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    inner.once('error', () => refuse(502, "Temporal's UI does not answer; is it being started again?"))
    response.once('close', () => inner.destroy())
    request.pipe(inner)
  })
  const stopped = new Promise<void>((resolve) => server.once('close', () => resolve()))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () =>
      resolve({
        stop() {
          server.close()
          server.closeAllConnections()
          return stopped
        },
      }),
    )
  })
}

const hostnameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '')

function ofEndToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !named.includes(name)))
}
