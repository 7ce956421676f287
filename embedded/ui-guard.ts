import { createServer, request as forward } from 'node:http'

/** What this machine calls itself in a browser. */
const OUR_NAMES = ['localhost', '127.0.0.1', '[::1]']

export interface RunningGuard {
  stop(): Promise<void>
}

/**
 * Stands before Temporal's UI, which itself answers whoever it is asked as. A page of somebody else's whose name is made to
 * point at this machine (DNS rebinding) would read and terminate enrollments; its Host header tells.
 */
export function startUiGuard(port: number, uiPort: number): Promise<RunningGuard> {
  const server = createServer((request, response) => {
    if (!OUR_NAMES.includes(hostnameOf(request.headers.host ?? ''))) {
      response.writeHead(403, { 'content-type': 'text/plain' })
      response.end(`Temporal's UI is served as http://localhost:${port} only.\n`)
      return
    }
    const { method, url, headers } = request
    const inner = forward({ host: '127.0.0.1', port: uiPort, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    })
    inner.once('error', () => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' })
      response.end("Temporal's UI does not answer; is it being started again?\n")
    })
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
