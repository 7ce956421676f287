import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the server received. */
export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** Answers a request. A number is the status of an empty response, and anything else its JSON. */
export type Answer = (request: ReceivedRequest, response: ServerResponse) => unknown

/** Starts a server that receives webhooks. `answer` can be replaced by each test. */
export async function startWebhookServer() {
  const requests: ReceivedRequest[] = []
  const receiver = { answer: (() => 200) as Answer }
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() }
      requests.push(request)
      void Promise.resolve(receiver.answer(request, response)).then((answer) => {
        if (response.writableEnded) return
        if (typeof answer === 'number') response.writeHead(answer).end()
        else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
      })
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    receiver,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
