import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { createHttpServer } from '../../src/parts/http-server.ts'
import { eventually } from '../support/eventually.ts'

describe('the HTTP server', () => {
  it('lets go of an answer that nobody reads', () => assertLetsGo({ silenceMs: 200 }, () => undefined))

  it('lets go of an answer that is read a byte now and then', () =>
    assertLetsGo({ wholeMs: 500 }, (client) => {
      const trickle = setInterval(() => void client.read(1_000), 50)
      client.once('close', () => clearInterval(trickle))
    }))

  it('cuts off who sends thousands of requests without waiting for answers, and begins few of them', async () => {
    let begun = 0
    const server = createHttpServer((_request, response) => {
      begun += 1
      setImmediate(() => response.end(Buffer.alloc(100_000)))
    })
    let made = 0
    server.on('request', () => (made += 1))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const send = (requests: number, header = '') => {
      const client = connect(port, '127.0.0.1')
      client.on('error', () => undefined)
      client.write(`GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n`.repeat(requests))
      return client
    }
    const flood = send(5_000)
    await new Promise((closed) => flood.once('close', closed))
    assert.equal(begun, 10)
    // Of what was not begun, too, little was made: each costs memory until the connection is gone.
    assert.ok(made < 100, `${made} were made`)
    // Some at a time are the protocol's right (RFC 9112, section 9.3.2).
    // Whoever does not read for a while gets all answers after that, too.
    const polite = send(10, `X-Long: ${'x'.repeat(5_000)}\r\n`)
    let received = 0
    await eventually('some are begun', () => begun >= 12 || undefined)
    polite.on('data', (chunk: Buffer) => (received += chunk.length))
    await eventually('all are answered', () => received > 1_000_000 || undefined)
    polite.destroy()
    await new Promise((closed) => server.close(closed))
  })

  for (const [what, header, handle] of [
    ['where somebody reads it', '', (request: IncomingMessage) => void request.resume()],
    ['where nobody does', '', () => undefined],
    [
      'where it was answered without being read',
      '',
      (_request: IncomingMessage, response: ServerResponse) => void response.end(),
    ],
    ['with an expectation that nobody knows', 'Expect: x\r\n', (request: IncomingMessage) => void request.resume()],
    ['with one that Node fulfils', 'Expect: 100-continue\r\n', (request: IncomingMessage) => void request.resume()],
  ] as const) {
    it(`cuts off who sends a body in pieces of a byte each, ${what}`, async () => {
      const server = createHttpServer(handle)
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
      client.on('error', () => undefined)
      client.write(`POST / HTTP/1.1\r\nHost: x\r\n${header}Transfer-Encoding: chunked\r\n\r\n`)
      // Without an end: whoever takes all of it waits for more.
      client.write('1\r\nx\r\n'.repeat(100_000))
      await new Promise((closed) => client.resume().once('close', closed))
      await new Promise((closed) => server.close(closed))
    })
  }

  it('cuts off who does so in many requests that are asked at once', async () => {
    let begun = 0
    const server = createHttpServer((request, response) => {
      begun += 1
      request.resume().once('end', () => response.end())
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    const body = `${'1\r\nx\r\n'.repeat(200)}0\r\n\r\n`
    const request = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}`
    client.write(request.repeat(9))
    await new Promise((closed) => client.resume().once('close', closed))
    assert.ok(begun < 5, `${begun} were begun`)
    await new Promise((closed) => server.close(closed))
  })

  it('takes as many requests with a body in few pieces as somebody likes to send', async () => {
    const server = createHttpServer((request, response) => {
      request.resume().once('end', () => response.end('done'))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let answers = 0
    client.setEncoding('latin1')
    const body = '1\r\nx\r\n'.repeat(10)
    for (; answers < 200; answers += 1) {
      client.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body}0\r\n\r\n`)
      for (let text = ''; !text.endsWith('done');) text += String((await once(client, 'data'))[0])
    }
    client.destroy()
    await new Promise((closed) => server.close(closed))
  })

  it('takes a body in pieces as programs make them, and what is asked behind it', async () => {
    const lengths: number[] = []
    const server = createHttpServer((request, response) => {
      let length = 0
      request.on('data', (piece: Buffer) => (length += piece.length))
      request.once('end', () => {
        lengths.push(length)
        response.end()
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const piece = 'x'.repeat(100)
    client.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    client.write(`64\r\n${piece}\r\n`.repeat(10_000))
    client.write('0\r\n\r\n')
    client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${'y'.repeat(300_000)}`)
    client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    client.resume()
    await once(client, 'close')
    // Those that came in one packet are begun at once.
    assert.deepEqual(
      lengths.toSorted((a, b) => b - a),
      [1_000_000, 300_000, 0],
    )
    await new Promise((closed) => server.close(closed))
  })

  it('begins few of those who are asked for behind a body, too', async () => {
    let begun = 0
    let made = 0
    const server = createHttpServer((request, response) => {
      begun += 1
      request.resume()
      setImmediate(() => response.end())
    })
    server.on('request', () => (made += 1))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => undefined)
    const body = 'x'.repeat(40_000)
    client.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5_000)}`,
    )
    client.resume()
    await new Promise((closed) => client.once('close', closed))
    assert.ok(begun <= 10 && made < 120, `${begun} were begun, ${made} made`)
    await new Promise((closed) => server.close(closed))
  })

  for (const [what, request] of [
    ['idle ones', 'GET / HTTP/1.1\r\nHo'],
    ['ones that do not read what they asked for', 'GET /long HTTP/1.1\r\nHost: x\r\n\r\n'],
  ] as const) {
    it(`makes room for whoever comes where all of its connections are taken, by ${what}`, async () => {
      const server = createHttpServer(
        ({ url }, response) => void response.end(url === '/long' ? Buffer.alloc(50_000_000) : 'done'),
        { connections: 6, connectionsOfOne: 3 },
      )
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const open = async (localAddress: string) => {
        const client = connect({ port, host: '127.0.0.1', localAddress }).pause()
        client.on('error', () => undefined)
        await once(client, 'connect')
        return client
      }
      let asked = 0
      server.on('request', () => (asked += 1))
      const taken: Socket[] = []
      for (const n of [2, 2, 2, 3, 3, 4]) {
        const client = await open(`127.0.0.${n}`)
        client.write(request)
        taken.push(client)
      }
      if (request.endsWith('\r\n\r\n')) await eventually('all are busy', () => asked === 6 || undefined)
      // Several at a time, of a network that has more than others.
      for (const other of [await open('127.0.0.4'), await open('127.0.0.4')]) {
        other.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
        assert.match(await text(other), /done/)
      }
      for (const client of taken) client.destroy()
      await new Promise((closed) => server.close(closed))
    })
  }

  it('lets nobody take all of its connections', async () => {
    const server = createHttpServer((_request, response) => response.end(), { connectionsOfOne: 3 })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const open = async (localAddress: string) => {
      const client = connect({ port, host: '127.0.0.1', localAddress })
      client.on('error', () => undefined)
      await once(client, 'connect')
      return client
    }
    const clients = [await open('127.0.0.2'), await open('127.0.0.2'), await open('127.0.0.2')]
    const fourth = await open('127.0.0.2')
    await once(fourth, 'close')
    clients.push(await open('127.0.0.3'))
    clients.shift()!.destroy()
    await eventually('there is room again', async () => {
      const next = await open('127.0.0.2')
      const isCut = await Promise.race([once(next, 'close').then(() => true), answered(next)])
      next.destroy()
      return !isCut || undefined
    })
    for (const client of clients) client.destroy()
    await new Promise((closed) => server.close(closed))
  })
})

/** @returns false as soon as the server has answered. */
async function answered(client: Socket): Promise<false> {
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(client, 'data')
  return false
}

/** Asks for a large answer and reads of it what `read` does: the server has to end that by itself. */
async function assertLetsGo(patience: { silenceMs?: number; wholeMs?: number }, read: (client: Socket) => void) {
  const server = createHttpServer((_request, response) => response.end(Buffer.alloc(64_000_000)), patience)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [served] = (await once(server, 'connection')) as [Socket]
  client.pause()
  read(client)
  await once(served, 'close')
  client.destroy()
  await new Promise((closed) => server.close(closed))
  assert.equal(served.destroyed, true)
}
