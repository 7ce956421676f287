import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { connectWorker } from '../../src/temporal/connect-worker.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import { services } from '../support/servers.ts'

const never = new AbortController().signal

describe('connecting a worker to Temporal', function () {
  this.timeout(180_000)

  it('logs once why it waits, closes failed connections, and ends when it is aborted', async function () {
    if (process.platform !== 'linux') this.skip()
    let tries = 0
    // The server accepts connections and closes them.
    const server = createServer((socket) => {
      tries += 1
      socket.destroy()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const reasons: string[] = []
    const abort = new AbortController()
    const connected = connectWorker(
      { address, apiKey: undefined, tls: false, onWait: (reason) => reasons.push(reason) },
      abort.signal,
    )
    connected.catch(() => undefined)
    await eventually('it has retried for a while', () => (tries >= 3 ? true : undefined), 40_000)
    abort.abort(new Error('enough'))
    await assert.rejects(connected, /enough/)
    server.close()
    await eventually('no connection is open', () => (openTo(address) === 0 ? true : undefined))
    assert.equal(new Set(reasons).size, reasons.length)
    assert.ok(reasons.length >= 1 && reasons.length < tries, String(reasons))
  })

  it('logs the same reason again after a while', async () => {
    const [port] = (await freePorts(1)) as [number]
    const reasons: string[] = []
    const abort = new AbortController()
    const waiting = connectWorker(
      {
        address: `127.0.0.1:${port}`,
        apiKey: undefined,
        tls: false,
        onWait: (reason) => reasons.push(reason),
        silenceMs: 100,
      },
      abort.signal,
    )
    waiting.catch(() => undefined)
    await eventually('it is logged twice', () => (reasons.length > new Set(reasons).size ? true : undefined), 40_000)
    abort.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
  })

  it('logs a different reason again, and connects when Temporal is available', async () => {
    const { temporalAddress } = await services()
    const [port] = (await freePorts(1)) as [number]
    const reasons: string[] = []
    const options = { apiKey: undefined, tls: false, onWait: (reason: string) => reasons.push(reason) }
    const connection = await connectWorker({ ...options, address: temporalAddress }, never)
    assert.deepEqual(reasons, [])
    await connection.close()

    const abort = new AbortController()
    const connected = connectWorker({ ...options, address: `127.0.0.1:${port}` }, abort.signal)
    connected.catch(() => undefined)
    await eventually('the reason is logged', () => reasons.find((reason) => /ECONNREFUSED/.test(reason)))
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
    await eventually('the other reason is logged', () => (reasons.length > 1 ? true : undefined), 40_000)
    abort.abort(new Error('enough'))
    await assert.rejects(connected, /enough/)
    server.close()
  })
})

/** The state of a socket that the kernel keeps after both sides have closed it. */
const TIME_WAIT = '06'

/** Counts the open sockets of clients of a server, also those that the server has closed (Linux, proc(5)). */
function openTo(address: string): number {
  const port = Number(address.split(':')[1]).toString(16).toUpperCase().padStart(4, '0')
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  return rows
    .map((row) => row.trim().split(/ +/))
    .filter(([, , to, state]) => to?.endsWith(`:${port}`) && state !== TIME_WAIT).length
}
