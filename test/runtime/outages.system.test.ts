import assert from 'node:assert/strict'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { activityOf, aContact, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { services } from '../support/servers.ts'

/** A connection to a server that can be cut, blocked, and restored. */
async function startGate(target: string) {
  const [host, port] = target.split(':') as [string, string]
  let mode: 'open' | 'cut' | 'hang' = 'open'
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    if (mode === 'cut') return void socket.destroy()
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (mode === 'hang') return undefined
    const upstream = connect(Number(port), host)
    upstream.on('error', () => undefined)
    socket.pipe(upstream).pipe(socket)
    socket.on('close', () => upstream.destroy())
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${(server.address() as { port: number }).port}`,
    set(next: typeof mode) {
      mode = next
      for (const socket of sockets) {
        if (next === 'hang') socket.unpipe().pause()
        else socket.destroy()
      }
      if (next !== 'hang') sockets.clear()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

describe('an outage', () => {
  let service: Instance
  let away: Instance
  let gate: Awaited<ReturnType<typeof startGate>>

  describe('of Temporal', () => {
    before(async () => {
      gate = await startGate((await services()).temporalAddress)
      service = await startInstance({ worker: false, env: { TEMPORAL_ADDRESS: gate.address } })
    })
    after(async () => {
      gate.set('open')
      await service.stop()
      await gate.close()
    })

    for (const mode of ['cut', 'hang'] as const) {
      it(`(${mode}) causes a 503, and ends without a restart`, async () => {
        const contactId = await aContact(service)
        const automationId = await anAutomation(service)
        assert.equal((await service.call('GET', '/readyz', undefined, { key: null })).status, 200)
        gate.set(mode)
        const answer = await enroll(service, automationId, contactId)
        assert.equal(answer.refused, '503 temporal_unavailable')
        assert.deepEqual(Object.keys(answer.body as object), ['error'])
        const ready = await service.call('GET', '/readyz', undefined, { key: null })
        assert.deepEqual([ready.status, ready.body], [503, { error: 'Not reachable: Temporal' }])
        assert.equal((await service.call('GET', '/healthz', undefined, { key: null })).status, 200)
        gate.set('open')
        await eventually('an enrollment', async () => {
          const { status } = await enroll(service, automationId, contactId)
          return status === 202 ? true : undefined
        })
        // The last result is cached for a moment, so readiness follows later.
        await eventually('readiness', async () => {
          const { status } = await service.call('GET', '/readyz', undefined, { key: null })
          return status === 200 ? true : undefined
        })
      })
    }

    it('loses no event: it is accepted, and delivered afterwards', async () => {
      const contactId = await aContact(service)
      await anAutomation(service, { triggerConfig: { eventName: 'kept' } })
      gate.set('cut')
      const answer = await service.call('POST', `contacts/${contactId}/events`, { name: 'kept' })
      assert.deepEqual([answer.status, answer.body.data.matchingAutomations], [202, 1])
      gate.set('open')
      await service.startWorker()
      await eventually('the mail', async () => (await activityOf(service, contactId))[0], 40_000)
    })
  })

  describe('of Postgres', () => {
    before(async () => {
      service = await startInstance({ worker: false })
      const url = new URL(service.context.config.DATABASE_URL)
      gate = await startGate(url.host)
      url.host = gate.address
      away = await startInstance({ worker: false, env: { DATABASE_URL: url.href } })
    })
    after(async () => {
      gate.set('open')
      await away.stop()
      await service.stop()
      await gate.close()
    })

    for (const mode of ['cut', 'hang'] as const) {
      it(`(${mode}) causes a 503, and ends without a restart`, async () => {
        const list = () => away.call('GET', 'contacts', undefined, { key: service.key })
        assert.equal((await list()).status, 200)
        gate.set(mode)
        const answer = await list()
        assert.equal(answer.refused, '503 database_unavailable')
        assert.deepEqual(Object.keys(answer.body as object), ['error'])
        const ready = await away.call('GET', '/readyz', undefined, { key: null })
        assert.deepEqual([ready.status, ready.body], [503, { error: 'Not reachable: Postgres' }])
        gate.set('open')
        await eventually('an answer', async () => ((await list()).status === 200 ? true : undefined))
      })
    }
  })
})
