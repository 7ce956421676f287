import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { verifyWebhook, type Schemas, type WebhookEvent } from '@dripline/client'
import { eventually } from '../support/eventually.ts'
import { startInstance, type Instance } from '../support/instance.ts'
import { WEBHOOK_ENV } from '../support/webhook-events.ts'
import { runCli } from './cli.ts'

type Delivery = Schemas['WebhookDelivery']

describe('webhooks', () => {
  let service: Instance
  let receiver: Server
  let url: string
  let secret = ''
  let received: WebhookEvent[] = []
  before(async () => {
    service = await startInstance({ env: WEBHOOK_ENV })
    receiver = createServer((request, response) => {
      void text(request).then(async (payload) => {
        received.push(await verifyWebhook({ payload, headers: request.headers, secret }))
        response.writeHead(204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
  })
  after(async () => {
    receiver.close().closeAllConnections()
    await service.stop()
  })
  beforeEach(() => void (received = []))

  const cli = (args: string[], key = service.key) =>
    runCli(['webhooks', ...args], {
      env: { DRIPLINE_URL: `http://127.0.0.1:${service.port}`, DRIPLINE_API_KEY: key },
    })
  const call = async <Result>(...args: string[]): Promise<Result> => {
    const { code, stdout, stderr } = await cli([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout) as Result
  }
  const create = async (...flags: string[]) => {
    const webhook = await call<Schemas['NewWebhook']>('create', '--url', url, ...flags)
    secret = webhook.secret
    return webhook
  }
  const delivered = (id: string, deliveryId: string, attempts: number) =>
    eventually('the event is delivered', async () => {
      const deliveries = await call<Delivery[]>('deliveries', id, '--status', 'delivered')
      const found = deliveries.find((one) => one.id === deliveryId)
      return found && received.length >= attempts ? found : undefined
    })

  it('are created, changed, listed and deleted', async () => {
    const created = await create('--event', 'contact.created', '--event', 'contact.deleted', '--description', 'CRM')
    assert.deepEqual(
      [created.url, created.events, created.description, created.secret.startsWith('whsec_')],
      [url, ['contact.created', 'contact.deleted'], 'CRM', true],
    )
    const { id } = created
    assert.deepEqual((await call<Schemas['Webhook']>('update', id, '--event', '*')).events, ['*'])
    const polled = await call<Schemas['NewWebhook']>('create')
    assert.deepEqual([polled.url, polled.events], [null, ['*']])
    const all = await call<Schemas['Webhook'][]>('list')
    assert.deepEqual(
      all.map((one) => one.id),
      [id, polled.id],
    )
    const table = await cli(['list'])
    assert.match(table.stdout, new RegExp(`^ID .*\n${id}  ${url} .*\n${polled.id}  \\(polled\\) `))
    const refused = await cli(['delete', id])
    assert.deepEqual([refused.code, refused.stderr.endsWith('Pass --yes to confirm.\n')], [2, true])
    for (const one of [id, polled.id]) assert.deepEqual(await call('delete', one, '--yes'), { deleted: true, id: one })
    assert.equal(
      (await cli(['list'])).stdout,
      'The workspace has no webhooks. Create one with "dripline webhooks create".\n',
    )
  })

  it('get a test event, and it again by its ID and by a time', async () => {
    const { id } = await create('--event', 'contact.created')
    const test = await call<{ id: string }>('test', id)
    await delivered(id, test.id, 1)
    assert.deepEqual(
      received.map((event) => [event.id, event.type]),
      [[test.id, 'webhook.test']],
    )
    const details = await call<Schemas['WebhookDeliveryDetails']>('deliveries', id, test.id)
    assert.deepEqual([details.request.body, details.log.length], [received[0], 1])
    assert.deepEqual(await call('replay', id, test.id), { replayed: 1 })
    await delivered(id, test.id, 2)

    const since = new Date().toISOString()
    const { body } = await service.call('POST', 'contacts', { email: 'ada@example.com' })
    const event = await eventually('the contact arrives', () => received.find(({ type }) => type === 'contact.created'))
    assert.equal((event.data as { id: string }).id, body.data.id)
    await delivered(id, event.id, 3)
    assert.deepEqual(await call('replay', id, '--since', since), { replayed: 1 })
    await eventually('the contact arrives again', () => received[3])
    assert.equal(received[3]?.id, event.id)
    assert.match((await cli(['deliveries', id])).stdout, new RegExp(`${event.id}  contact.created  \\w+ .*\n`))
    await call('delete', id, '--yes')
  })

  it('get a new secret, which signs the next event', async () => {
    const { id, secret: old } = await create()
    const rotated = await call<Schemas['NewWebhook']>('rotate-secret', id)
    assert.notEqual(rotated.secret, old)
    secret = rotated.secret
    const test = await call<{ id: string }>('test', id)
    await delivered(id, test.id, 1)
    await call('delete', id, '--yes')
  })

  it('explain what to do after an error', async () => {
    const { id } = await create()
    await call('update', id, '--disable')
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:read'] })
    const missing = '01a21afd-6cdf-7234-896c-fd7e26ed8c14'
    for (const [args, code, message, as] of [
      [['test', id], 1, /disabled.*"dripline webhooks update WEBHOOK --enable"\.$/],
      [['test', missing], 1, /^Webhook not found\. See "dripline webhooks list"\.$/],
      [['replay', id], 2, /^Pass either the ID of a delivery or --since\.$/],
      [['replay', id, missing, '--since', 'x'], 2, /^Pass either the ID of a delivery or --since\.$/],
      [['replay', id, missing, '--status', 'FAILED'], 2, /^--until and --status need --since\.$/],
      [['update', id], 2, /^Pass at least one option to change the webhook\.$/],
      [['create', '--event', 'contact.exploded'], 1, /events.*contact\.created/],
      [['create', '--url', 'example.com'], 1, /^url must be an http or https URL/],
      [['list'], 3, /webhooks:read\. Run "dripline login" with a key that has this scope\.$/, key],
    ] as [string[], number, RegExp, string?][]) {
      const failed = await cli(args, as)
      assert.equal(failed.code, code, failed.stderr)
      assert.match(failed.stderr.trimEnd(), message)
    }
    assert.equal((await call<Schemas['Webhook']>('update', id, '--enable')).status, 'ENABLED')
    const unknown = await cli(['deliveries', id, missing])
    assert.equal(unknown.stderr, 'Delivery not found. See "dripline webhooks deliveries WEBHOOK".\n')
    await call('delete', id, '--yes')
  })
})
