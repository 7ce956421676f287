import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { createHttpServer } from '../../src/runtime/http-server.ts'

describe('the HTTP server', () => {
  it('closes a connection whose client does not read its response', async () => {
    const server = createHttpServer((_request, response) => response.end(Buffer.alloc(64_000_000)), {
      inactivityMs: 200,
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [served] = (await once(server, 'connection')) as [Socket]
    await once(served, 'close')
    client.destroy()
    await new Promise((closed) => server.close(closed))
    assert.equal(served.destroyed, true)
  })
})
