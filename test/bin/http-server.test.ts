import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { createHttpServer } from '../../src/bin/http-server.ts'

describe('the HTTP server', () => {
  it('lets go of an answer that nobody reads', async () => {
    const server = createHttpServer((_request, response) => response.end(Buffer.alloc(64_000_000)), { silenceMs: 200 })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [served] = (await once(server, 'connection')) as [NodeJS.Socket & { destroyed: boolean }]
    // It does not read: only its own end would end it otherwise.
    client.pause()
    await once(served, 'close')
    client.destroy()
    await new Promise((closed) => server.close(closed))
    assert.equal(served.destroyed, true)
  })
  it('lets go of an answer that is read a byte now and then', async () => {
    const server = createHttpServer((_request, response) => response.end(Buffer.alloc(64_000_000)), { wholeMs: 500 })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [served] = (await once(server, 'connection')) as [NodeJS.Socket & { destroyed: boolean }]
    client.pause()
    const trickle = setInterval(() => client.read(1_000), 50)
    await once(served, 'close')
    clearInterval(trickle)
    client.destroy()
    await new Promise((closed) => server.close(closed))
    assert.equal(served.destroyed, true)
  })
})
