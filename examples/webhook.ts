/** Receives events of a webhook. Create it for the address of this server, and pass its secret. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { verifyWebhook } from '@dripline/client'

const { DRIPLINE_WEBHOOK_SECRET: secret = '', PORT = '8080' } = process.env
const seen = new Set<string>()

const server = createServer((request, response) => {
  text(request)
    .then((payload) => verifyWebhook({ payload, headers: request.headers, secret }))
    .then((event) => {
      // An event can arrive twice. A real server keeps the IDs in its database.
      if (!seen.has(event.id)) console.log(event.type, JSON.stringify(event.data))
      seen.add(event.id)
      response.writeHead(204).end()
    })
    .catch(() => response.writeHead(400).end())
})
server.listen(Number(PORT), () => console.log('Listening on port', (server.address() as AddressInfo).port))
