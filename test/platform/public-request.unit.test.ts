import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import {
  hostOf,
  isPublicAddress,
  type PublicRequest,
  type PublicRequestOptions,
  readHost,
  requestPublic,
} from '../../src/platform/public-request.ts'

/** A self-signed certificate for localhost, valid until the year 2126, and its key. For tests only. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkjCmqs06kzbCUf3r
nMHAGfPhZlXWtm4xCWRiYzlxTCWhRANCAASiFvEzirrSpKogHLVXa7GSMWZlxori
S0ygujmKgyJcoDywub53aPv8HTD9pWDMsJNndILB/pwbLR4bczuiUDiB
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUQgHgw0pCezYWqb+X8rDyXbw2SiUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNzA2NTUwM1oYDzIxMjYxMTAz
MDY1NTAzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASiFvEzirrSpKogHLVXa7GSMWZlxoriS0ygujmKgyJcoDywub53aPv8
HTD9pWDMsJNndILB/pwbLR4bczuiUDiBo1MwUTAdBgNVHQ4EFgQUA57M9sThqG+U
RykKO2S+rdRYjAQwHwYDVR0jBBgwFoAUA57M9sThqG+URykKO2S+rdRYjAQwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBGLWxQx5cxxEPNM9BPE5Js
ZRuk4oNht0x+HHc0y6N02QIhAM8o9M1A1D+A3K2R1x3pLfpixkaa+RWR3+l04TFS
LHP+
-----END CERTIFICATE-----`

const PRIVATE = { problem: 'The address is in a private network', isPermanent: true }
const RESOLVES_PRIVATE = { problem: 'The name resolves to a private address', isPermanent: true }
const LATE = { problem: 'No response within 0.5 s', isPermanent: false }
const OK = 'HTTP/1.1 200 OK\r\n'

/** A server that answers each connection, after the end of the request's headers, as the test says. */
async function startServer(answer: (socket: Socket) => void) {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    let received = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      if (received.includes('\r\n\r\n')) return
      received += chunk.toString()
      if (!received.includes('\r\n\r\n')) return
      requests.push(received)
      answer(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    port,
    requests,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const resolverOf = (...answers: string[][]): typeof lookup => {
  let calls = 0
  const resolve = (_name: string, _options: unknown, callback: (error: null, addresses: unknown) => void) => {
    const answer = answers[Math.min(calls, answers.length - 1)]!
    calls += 1
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return resolve as unknown as typeof lookup
}

const send = (url: string, options: Partial<PublicRequestOptions> = {}, request: Partial<PublicRequest> = {}) =>
  requestPublic(
    { url, method: 'POST', headers: {}, body: '{}', readsBody: true, ...request },
    { allowedHosts: [], timeoutMs: 500, ...options },
  )

describe('a request to a private address', () => {
  it('is refused in any notation', async () => {
    for (const host of [
      ...['127.0.0.1', '127.0.0.1.', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0', '１２７.0.0.1'],
      ...['10.0.0.1', '100.64.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1', '255.255.255.255'],
      ...['[::]', '[::1]', '[::ffff:10.0.0.1]', '[::ffff:8.8.8.8]', '[::127.0.0.1]', '[64:ff9b::127.0.0.1]'],
      ...['[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001::1]', '[fc00::1]', '[fe80::1]', '[ff02::1]'],
    ])
      assert.deepEqual(await send(`http://${host}:8080/`), PRIVATE, host)
  })

  it('is refused for localhost in any notation', async () => {
    const server = await startServer((socket) => socket.end(`${OK}Content-Length: 0\r\n\r\n`))
    for (const name of ['localhost', 'localhost.', 'LOCALHOST', 'hooks.localhost']) {
      const response = await send(`http://${name}:${server.port}/`, { resolveName: resolverOf(['::1', '127.0.0.1']) })
      assert.deepEqual(response, RESOLVES_PRIVATE, name)
    }
    assert.equal(server.requests.length, 0)
    await server.stop()
  })

  it('is refused for a name with the resolver of the system', async () =>
    assert.deepEqual(await send('http://localhost:9/'), RESOLVES_PRIVATE))

  it('is refused if one of the addresses of a name is private', async () => {
    const resolveName = resolverOf(['25.0.0.1', '127.0.0.1'])
    assert.deepEqual(await send('http://example.com/', { resolveName }), RESOLVES_PRIVATE)
  })

  it('is refused if a name resolves to it only when the connection is made', async () => {
    const server = await startServer((socket) => socket.end(`${OK}Content-Length: 0\r\n\r\n`))
    // Nothing answers at 25.0.0.1. The second attempt resolves the name again.
    const resolveName = resolverOf(['25.0.0.1'], ['127.0.0.1'])
    const url = `http://rebinds.example.com:${server.port}/`
    const first = await send(url, { resolveName, timeoutMs: 100 })
    assert.ok('problem' in first && !first.isPermanent)
    assert.deepEqual(await send(url, { resolveName }), RESOLVES_PRIVATE)
    assert.equal(server.requests.length, 0)
    await server.stop()
  })

  it('is not made by a redirect', async () => {
    const server = await startServer((socket) =>
      socket.end('HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:9/\r\nContent-Length: 0\r\n\r\n'),
    )
    const response = await send(`http://localhost:${server.port}/`, {
      allowedHosts: ['localhost'],
      resolveName: resolverOf(['127.0.0.1']),
    })
    assert.deepEqual(response, { status: 307, retryAfter: null, text: '' })
    assert.equal(server.requests.length, 1)
    await server.stop()
  })
})

describe('a host that may be private', () => {
  it('is read from a name or an address only', () => {
    for (const [written, host] of [
      ['Hooks.Internal', 'hooks.internal'],
      ['hooks.internal.', 'hooks.internal'],
      ['10.0.0.5', '10.0.0.5'],
      ['FD00:0:0::1', 'fd00::1'],
      ['[fd00::1]', 'fd00::1'],
    ] as const) {
      assert.equal(readHost(written), host)
      assert.equal(hostOf(`http://${written.replace(/^(FD.*)$/, '[$1]')}:8080/x`), host)
    }
    for (const written of ['http://x', 'x:80', 'x/y', '10.0.0.0/8', 'user@x', '[fe80::1%25eth0]', 'fe80::1%eth0', ''])
      assert.equal(readHost(written), undefined, written)
  })

  it('is reached on any port', async () => {
    const server = await startServer((socket) => socket.end(`${OK}Content-Length: 2\r\n\r\n{}`))
    const response = await send(`http://127.0.0.1:${server.port}/`, { allowedHosts: ['127.0.0.1'] })
    assert.deepEqual(response, { status: 200, retryAfter: null, text: '{}' })
    await server.stop()
  })

  it('does not allow other names for the same address', async () => {
    assert.deepEqual(await send('http://127.0.0.1/', { allowedHosts: ['localhost'] }), PRIVATE)
    const resolveName = resolverOf(['127.0.0.1'])
    assert.deepEqual(await send('http://localhost/', { allowedHosts: ['127.0.0.1'], resolveName }), RESOLVES_PRIVATE)
  })
})

describe('a public address', () => {
  it('is a complete address outside of private networks', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.15.255.255', '2606:4700::1', '2a00:1450::1'])
      assert.ok(isPublicAddress(address), address)
    for (const text of ['', 'example.com', 'fe80::1%eth0', '1.2.3', '010.0.0.1'])
      assert.ok(!isPublicAddress(text), text)
  })
})

describe('a response', () => {
  const answers: [string, (socket: Socket) => void, unknown, Partial<PublicRequest>?][] = [
    ['that never comes', () => undefined, LATE],
    [
      'a byte at a time',
      (socket) => {
        socket.write(`${OK}Content-Length: 100\r\n\r\n`)
        const timer = setInterval(() => socket.write('1'), 50)
        socket.on('close', () => clearInterval(timer))
      },
      LATE,
    ],
    [
      'with headers a byte at a time',
      (socket) => {
        socket.write(OK)
        const timer = setInterval(() => socket.write('a'), 50)
        socket.on('close', () => clearInterval(timer))
      },
      LATE,
    ],
    [
      'of a gigabyte',
      (socket) => {
        socket.write(`${OK}Content-Length: 1073741824\r\n\r\n`)
        const chunk = Buffer.alloc(65_536, '1')
        const write = () => {
          while (!socket.destroyed && socket.write(chunk));
        }
        socket.on('drain', write)
        write()
      },
      { status: 200, retryAfter: null, text: null },
    ],
    ['that ends early', (socket) => socket.end(`${OK}Content-Length: 9\r\n\r\n{`), 'The connection failed: ECONNRESET'],
    ['that ends at once', (socket) => socket.destroy(), 'The connection failed: ECONNRESET'],
    [
      'that is no HTTP',
      (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      'The response is not valid HTTP: HPE_INVALID_CONSTANT',
    ],
    [
      'with a megabyte of headers',
      (socket) => socket.end(`${OK}X: ${'x'.repeat(1_000_000)}\r\n\r\n`),
      'The response is not valid HTTP: HPE_HEADER_OVERFLOW',
    ],
    [
      'that switches the protocol',
      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      'The connection failed',
    ],
    [
      'of status 204',
      (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
      { status: 204, retryAfter: null, text: '' },
    ],
    ['without a length', (socket) => socket.end(`${OK}\r\n[1]`), { status: 200, retryAfter: null, text: '[1]' }],
    [
      'with Retry-After',
      (socket) => socket.end('HTTP/1.1 429 Slow Down\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n'),
      { status: 429, retryAfter: '120', text: '' },
    ],
    [
      'whose body is not needed and never ends',
      (socket) => socket.write(`${OK}Content-Length: 100\r\n\r\n`),
      { status: 200, retryAfter: null, text: null },
      { readsBody: false },
    ],
  ]
  it('has a defined result, whatever the server sends', async () => {
    const check = async ([what, answer, expected, request]: (typeof answers)[number]) => {
      const server = await startServer(answer)
      const response = await send(`http://127.0.0.1:${server.port}/`, { allowedHosts: ['127.0.0.1'] }, request)
      const result = typeof expected === 'string' ? { problem: expected, isPermanent: false } : expected
      assert.deepEqual(response, result, what)
      await server.stop()
    }
    await Promise.all(answers.map(check))
  })

  it('is not read beyond the limit', async () => {
    const closed = Promise.withResolvers<number>()
    const server = await startServer((socket) => {
      socket.on('close', () => closed.resolve(socket.bytesWritten))
      socket.write(`${OK}Content-Length: 1073741824\r\n\r\n`)
      socket.write(Buffer.alloc(100_000, '1'))
    })
    await send(`http://127.0.0.1:${server.port}/`, { allowedHosts: ['127.0.0.1'], timeoutMs: 60_000 })
    assert.ok((await closed.promise) < 200_000)
    await server.stop()
  })

  it('from a port where nothing listens has a defined result', async () => {
    const server = await startServer(() => undefined)
    await server.stop()
    const response = await send(`http://127.0.0.1:${server.port}/`, { allowedHosts: ['127.0.0.1'] })
    assert.deepEqual(response, { problem: 'The connection failed: ECONNREFUSED', isPermanent: false })
  })

  it('over TLS from a server without TLS has a defined result', async () => {
    const server = await startServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const response = await send(`https://127.0.0.1:${server.port}/`, { allowedHosts: ['127.0.0.1'] })
    assert.ok('problem' in response && !response.isPermanent)
    await server.stop()
  })

  it('over TLS with a certificate that is not trusted has a defined result', async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }).listen(0, '127.0.0.1')
    server.on('tlsClientError', () => undefined)
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const response = await send(`https://127.0.0.1:${port}/`, { allowedHosts: ['127.0.0.1'] })
    assert.deepEqual(response, {
      problem: 'The TLS certificate is not valid: DEPTH_ZERO_SELF_SIGNED_CERT',
      isPermanent: false,
    })
    server.close()
  })
})
