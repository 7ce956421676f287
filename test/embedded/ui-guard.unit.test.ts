import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import getPort from 'get-port'
import { startUiGuard, type RunningGuard } from '../../embedded/ui-guard.ts'

describe("the guard before Temporal's UI", () => {
  let ui: Server
  let guard: RunningGuard
  let port: number
  /** What the UI was asked last. */
  let asked: { headers: IncomingHttpHeaders; body: string }
  before(async () => {
    ui = createServer((request, response) => {
      void text(request).then((body) => {
        asked = { headers: request.headers, body }
        response.end('the UI')
      })
    }).listen(0, '127.0.0.1')
    await once(ui, 'listening')
    port = await getPort({ host: '127.0.0.1' })
    guard = await startUiGuard(port, (ui.address() as AddressInfo).port)
  })
  after(async () => {
    await guard.stop()
    ui.close()
  })

  async function ask(lines: string[], body = ''): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    socket.write([...lines, `Host: localhost:${port}`, 'Connection: close', '', body].join('\r\n'))
    return text(socket)
  }

  for (const header of [
    'Trailer: x',
    'TE: trailers',
    'Expect: 100-continue',
    'Upgrade: websocket',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: close',
    'Proxy-Authorization: Basic eA==',
    'Connection: x-mine\r\nX-Mine: 1',
  ]) {
    for (const [what, lines, body] of [
      ['without a body', ['GET / HTTP/1.1'], ''],
      ['with a length', ['POST / HTTP/1.1', 'Content-Length: 4'], 'body'],
      ['in chunks', ['POST / HTTP/1.1', 'Transfer-Encoding: chunked'], '4\r\nbody\r\n0\r\n\r\n'],
    ] as const) {
      it(`passes on what is asked ${what}, and keeps ${header.split('\r')[0]} to itself`, async () => {
        const answer = await ask([...lines, header], body)
        assert.match(answer, /HTTP\/1\.1 200 OK[^]*the UI/)
        assert.equal(asked.body, body === '' ? '' : 'body')
        const name = header.split('\n').at(-1)!.split(':')[0]!.toLowerCase()
        assert.equal(asked.headers[name], undefined)
        // Whether the connection is kept is between the two, too: the UI keeps its own.
        assert.match(answer, /^connection: close\r$/im)
      })
    }
  }

  it('lets nobody in who calls it by another name', async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    assert.match(await text(socket), /^HTTP\/1\.1 403 /)
  })
})
