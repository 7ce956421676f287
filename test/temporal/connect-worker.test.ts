import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { connectWorker } from '../../src/temporal/connect-worker.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'
import { services } from '../support/servers.ts'

const never = new AbortController().signal

describe('connecting a worker to Temporal', function () {
  this.timeout(180_000)

  it('says once why it waits, keeps nothing open of what failed, and ends when it is aborted', async function () {
    if (process.platform !== 'linux') this.skip()
    let tries = 0
    // It takes connections and breaks them off.
    const server = createServer((socket) => {
      tries += 1
      socket.destroy()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const reasons: string[] = []
    const abort = new AbortController()
    const before = descriptors()
    const connected = connectWorker(
      { address, apiKey: undefined, tls: false, onWait: (reason) => reasons.push(reason) },
      abort.signal,
    )
    connected.catch(() => undefined)
    await eventually('it has tried for some time', () => (tries >= 5 ? true : undefined), 40_000)
    abort.abort(new Error('enough'))
    await assert.rejects(connected, /enough/)
    server.close()
    await eventually('nothing of it is open', () => (descriptors() <= before ? true : undefined))
    assert.equal(new Set(reasons).size, reasons.length)
    assert.ok(reasons.length >= 1 && reasons.length < tries, String(reasons))
  })

  it('says the same reason again after a while', async () => {
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
    await eventually('it is said twice', () => (reasons.length > new Set(reasons).size ? true : undefined), 40_000)
    abort.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
  })

  it('says so again when the reason is another one, and connects when Temporal is there', async () => {
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
    await eventually('it says why', () => reasons.find((reason) => /ECONNREFUSED/.test(reason)))
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
    await eventually('it says why else', () => (reasons.length > 1 ? true : undefined), 40_000)
    abort.abort(new Error('enough'))
    await assert.rejects(connected, /enough/)
    server.close()
  })
})

const descriptors = (): number => readdirSync('/proc/self/fd').length
