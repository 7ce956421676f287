import assert from 'node:assert/strict'
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import pMap from 'p-map'
import { createUnreadAnswers } from '../../src/http/unread-answers.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('clients that do not read', () => {
  let service: Service
  const clients: Socket[] = []
  before(async () => {
    service = await startService({ worker: false })
  })
  after(async () => {
    for (const client of clients) client.destroy()
    await service.stop()
  })

  it('are refused further pages when megabytes wait for them, until they read or go', async () => {
    const metadata = { note: 'x'.repeat(60_000) }
    await pMap(
      Array.from({ length: 10 }, (_, n) => n),
      (n) =>
        service.call('POST', 'contacts/bulk', {
          contacts: Array.from({ length: 10 }, (_, m) => ({ email: `${n}-${m}@example.com`, metadata })),
        }),
      { concurrency: 2 },
    )
    const ask = () => {
      const client = connect({ port: service.port, host: '127.0.0.1' })
      client.on('error', () => undefined)
      client.pause()
      client.write(`GET /api/v1/contacts?limit=100 HTTP/1.1\r\nHost: x\r\nx-api-key: ${service.key}\r\n\r\n`)
      clients.push(client)
    }
    for (let n = 0; n < 8; n += 1) ask()
    const refused = await eventually('a refusal', async () => {
      const { status, body } = await service.call('GET', 'contacts?limit=1')
      return status === 503 ? (body as { error: string }) : undefined
    })
    assert.match(refused.error, /have not been read yet/)
    // What changes something is answered with as much.
    assert.equal((await service.call('POST', 'contacts', { email: 'ada@example.com' })).refused, '503 busy')

    const [first] = clients
    for (const client of clients) client.destroy()
    await once(first!, 'close')
    await eventually('room', async () => (await service.call('GET', 'contacts?limit=1')).status === 200 || undefined)
  })

  it('and have gone before their answer was written keep nothing', () => {
    const unread = createUnreadAnswers(100)
    const socket = new Socket()
    const response = new ServerResponse(new IncomingMessage(socket))
    response.destroy()
    unread.hold('workspace', 1_000_000, response)
    unread.assertRoom('workspace')
  })
})
