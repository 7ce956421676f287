import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { verifyWebhook, type WebhookEvent } from '@dripline/client'
import { startInstance, type Instance } from '../support/instance.ts'
import { aWebhook, WEBHOOK_ENV } from '../support/webhook-events.ts'
import { CLI, runCli } from './cli.ts'

interface Line {
  event: WebhookEvent
  status?: number
  problem?: string
}

describe('listen', () => {
  let service: Instance
  let folder: string
  before(async () => {
    service = await startInstance({ worker: false, env: WEBHOOK_ENV })
    folder = mkdtempSync(join(tmpdir(), 'dripline-listen-'))
  })
  after(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs `dripline listen`, and returns the lines that it prints. */
  async function listen(...flags: string[]) {
    const login = { DRIPLINE_URL: `http://127.0.0.1:${service.port}`, DRIPLINE_API_KEY: service.key }
    const env = { ...process.env, XDG_CONFIG_HOME: folder, ...login }
    const child = spawn(process.execPath, [CLI, 'listen', '--json', ...flags], { env })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const notes = createInterface({ input: child.stderr })
    const [note] = (await once(notes, 'line')) as [string]
    return {
      secret: /whsec_\S+/.exec(note)?.[0] ?? '',
      next: async () => JSON.parse((await lines.next()).value as string) as Line,
      async stop() {
        const exited = once(child, 'close') as Promise<[number | null]>
        child.kill('SIGINT')
        return (await exited)[0]
      },
    }
  }
  const webhooks = async () => (await service.call('GET', 'webhooks')).body.data as unknown[]

  it('forwards signed events in order, and deletes its webhook at the end', async () => {
    const received: WebhookEvent[] = []
    let secret = ''
    const receiver = createServer((request, response) => {
      void text(request).then(async (payload) => {
        received.push(await verifyWebhook({ payload, headers: request.headers, secret }))
        response.writeHead(received.length === 1 ? 500 : 204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const listener = await listen('--forward-to', `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`)
    secret = listener.secret
    assert.equal((await webhooks()).length, 1)
    await service.call('POST', 'contacts', { email: 'ada@example.com' })
    const created = await listener.next()
    assert.deepEqual([created.event.type, created.status], ['contact.created', 500])
    await service.call('POST', 'contacts', { email: 'ada@example.com', firstName: 'Ada' })
    const updated = await listener.next()
    assert.deepEqual([updated.event.type, updated.status], ['contact.updated', 204])
    assert.deepEqual(received, [created.event, updated.event])
    receiver.close().closeAllConnections()
    await service.call('POST', 'contacts', { email: 'bo@example.com' })
    const lost = await listener.next()
    assert.deepEqual([lost.event.type, lost.problem], ['contact.created', 'ECONNREFUSED'])
    assert.equal(await listener.stop(), 0)
    assert.deepEqual(await webhooks(), [])
  })

  it('prints no events that happened before it started', async () => {
    const { id } = await aWebhook(service, { url: null })
    await service.call('POST', 'contacts', { email: 'before@example.com' })
    const listener = await listen('--event', 'contact.created')
    await service.call('POST', 'contacts', { email: 'after@example.com' })
    const { event } = await listener.next()
    assert.equal((event.data as { email: string }).email, 'after@example.com')
    assert.equal(await listener.stop(), 0)
    await service.call('DELETE', `webhooks/${id}`)
  })

  it('prints only events of the given types without a server', async () => {
    const listener = await listen('--event', 'contact.deleted')
    const { body } = await service.call('POST', 'contacts', { email: 'cy@example.com' })
    await service.call('DELETE', `contacts/${body.data.id}`)
    const { event, ...delivery } = await listener.next()
    assert.deepEqual([event.type, delivery], ['contact.deleted', {}])
    assert.equal(await listener.stop(), 0)
    assert.deepEqual(await webhooks(), [])
  })

  it('signs with the same secret at each run, which only this user can read', async () => {
    const print = async () => {
      const { code, stdout, stderr } = await runCli(['listen', '--print-secret'], { env: { XDG_CONFIG_HOME: folder } })
      return { code, secret: stdout.trim(), stderr }
    }
    const { secret } = await print()
    for (let run = 0; run < 2; run += 1) {
      const listener = await listen('--forward-to', 'http://127.0.0.1:9/')
      assert.equal(listener.secret, secret)
      assert.equal(await listener.stop(), 0)
    }
    const file = join(folder, 'dripline/listen-secret')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    writeFileSync(file, 'broken')
    const { code, stderr } = await print()
    assert.deepEqual([code, stderr], [1, `${file} contains no secret. Delete the file, and try again.\n`])
    rmSync(file)
    assert.notEqual((await print()).secret, secret)
  })
})
