import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { sql } from '../../src/platform/db/sql.ts'
import { createSecrets } from '../../src/platform/secrets.ts'
import { startWebhookDeliveries, type WebhookDeliveries, type WebhookOptions } from '../../src/webhooks/deliver.ts'
import { MAX_ATTEMPTS, RETRY_SECONDS } from '../../src/webhooks/plan-outcome.ts'
import {
  deleteOldWebhookEvents,
  leaseDeliveries,
  lockDueEndpoints,
  releaseDeliveries,
} from '../../src/webhooks/queries.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { eventually } from '../support/eventually.ts'
import { quietLog } from '../support/log.ts'
import type { Service } from '../support/service.ts'
import { startWebhookServer, type ReceivedRequest } from '../support/webhook-server.ts'
import { WEBHOOK_ENV } from '../support/webhook-events.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Delivery {
  id: string
  type: string
  status: string
  attempts: number
  nextAttemptAt: string | null
  lastAttempt: { status: number | null; problem: string | null; response: string | null; durationMs: number } | null
}

describe('the delivery of webhooks', () => {
  let service: Service
  let deliveries: WebhookDeliveries | undefined
  const servers: { stop(): Promise<void> }[] = []
  before(async () => {
    service = await openWorkspace({ worker: false })
    // The deliveries are those of all workspaces.
    await sql(em(), 'delete from webhook_endpoints')
  })
  afterEach(async () => {
    await deliveries?.stop()
    deliveries = undefined
    for (const server of servers.splice(0)) await server.stop()
    await sql(em(), 'delete from webhook_endpoints')
  })

  const em = () => service.context.orm.em.fork()
  const secrets = createSecrets(WEBHOOK_ENV.SECRETS_KEY)
  const startDeliveries = (options: Partial<WebhookOptions> = {}, withSecrets = secrets) =>
    startWebhookDeliveries(
      { em: service.context.orm.em, log: quietLog, secrets: withSecrets },
      { allowedHosts: ['127.0.0.1'], idleMs: 10, ...options },
    )
  const deliver = (options: Partial<WebhookOptions> = {}) => (deliveries = startDeliveries(options))
  const aReceiver = async () => {
    const server = await startWebhookServer()
    servers.push(server)
    return server
  }

  /** Creates a webhook in a workspace of its own. */
  async function aWorkspaceWith(url: string | null, fields: object = {}) {
    const { id: workspaceId } = await createWorkspace(service.context.orm.em, { name: 'A', mode: 'test' })
    const key = await service.newKey({ workspaceId })
    const call = (method: string, path: string, body?: object) => service.call(method, path, body, { key })
    const { body } = await call('POST', 'webhooks', { url, events: ['contact.created', 'contact.updated'], ...fields })
    const { id, secret } = body.data as { id: string; secret: string }
    const list = async (query = '') =>
      (await call('GET', `webhooks/${id}/deliveries${query}`)).body.data as unknown as Delivery[]
    return {
      id,
      secret,
      workspaceId,
      call,
      list,
      contact: async (email: string, more: object = {}) =>
        (await call('POST', 'contacts', { email, ...more })).body.data.id as string,
      endpoint: async () => (await call('GET', `webhooks/${id}`)).body.data as Record<string, unknown>,
      /** Waits until the only delivery has a number of attempts. */
      attempted: (attempts: number) =>
        eventually(`${attempts} attempts`, async () => (await list()).find((one) => one.attempts === attempts)),
      /** Waits until all deliveries have a status. */
      all: (status: string) =>
        eventually(`all are ${status}`, async () => {
          const found = await list('?limit=100')
          return found.length > 0 && found.every((one) => one.status === status) ? found : undefined
        }),
    }
  }
  const makeDue = () => sql(em(), `update webhook_deliveries set due_at = now() where status = 'PENDING'`)
  const idOf = ({ headers }: ReceivedRequest) => headers['webhook-id'] as string
  const emailOf = ({ body }: ReceivedRequest) => (JSON.parse(body) as { data: { email: string } }).data.email

  it('sends the event, signed so that other implementations accept it', async () => {
    const { url, requests } = await aReceiver()
    const { contact, secret, all, call, id } = await aWorkspaceWith(url)
    const contactId = await contact('ada@example.com', { firstName: 'Ada “ü”' })
    deliver()
    const [delivered] = await all('DELIVERED')
    assert.equal(requests.length, 1)
    const { body, headers, method } = requests[0]!
    const payload = JSON.parse(body) as { createdAt: string }
    assert.deepEqual(
      [method, headers['content-type'], headers['webhook-id']],
      ['POST', 'application/json', delivered!.id],
    )
    assert.deepEqual(payload, {
      id: delivered!.id,
      type: 'contact.created',
      version: '2026-11-01',
      createdAt: payload.createdAt,
      data: { id: contactId, email: 'ada@example.com', externalId: null, firstName: 'Ada “ü”' },
    })
    const given = headers as Record<string, string>
    assert.deepEqual(new Webhook(secret).verify(body, given), payload)
    assert.doesNotThrow(() => new SvixWebhook(secret).verify(body, given))
    assert.throws(() => new SvixWebhook(secret).verify(`${body} `, given))
    assert.throws(() => new Webhook(secret).verify(body.replace('ada', 'eve'), given))
    const { body: detail } = await call('GET', `webhooks/${id}/deliveries/${delivered!.id}`)
    assert.deepEqual(detail.data.request.body, payload)
    assert.deepEqual(
      [detail.data.log.length, detail.data.log[0].status, detail.data.log[0].url, detail.data.log[0].response],
      [1, 200, url, ''],
    )
  })

  it('tries again on a schedule, and delivers at the tenth attempt', async () => {
    const { url, requests, receiver } = await aReceiver()
    receiver.answer = () => 500
    const { contact, attempted, endpoint, all } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    for (const [n, seconds] of RETRY_SECONDS.entries()) {
      const { status, nextAttemptAt, lastAttempt } = await attempted(n + 1)
      assert.deepEqual([status, lastAttempt!.status], ['PENDING', 500])
      const pause = (Date.parse(nextAttemptAt!) - Date.now()) / 1_000
      assert.ok(pause > seconds * 0.9 - 1 && pause <= seconds * 1.1, `${pause} after attempt ${n + 1}`)
      await eventually('the webhook is failing', async () => (await endpoint())['failingSince'] ?? undefined)
      if (n + 1 === RETRY_SECONDS.length) receiver.answer = () => 200
      await makeDue()
    }
    const [delivered] = await all('DELIVERED')
    assert.equal(delivered!.attempts, MAX_ATTEMPTS)
    assert.equal(requests.length, 10)
    assert.equal(new Set(requests.map(idOf)).size, 1)
    await eventually('the webhook is healthy', async () => (await endpoint())['failingSince'] === null || undefined)
  })

  it('gives up after the tenth attempt', async () => {
    const { url, receiver } = await aReceiver()
    receiver.answer = (_request, response) => response.writeHead(503).end('\0down')
    const { contact, attempted, all, call, id } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    for (let n = 1; n < MAX_ATTEMPTS; n += 1) {
      await attempted(n)
      await makeDue()
    }
    const [{ id: deliveryId } = { id: '' }] = await all('FAILED')
    const { body } = await call('GET', `webhooks/${id}/deliveries/${deliveryId}`)
    assert.equal(body.data.log.length, MAX_ATTEMPTS)
    assert.deepEqual([body.data.log[9].status, body.data.log[9].response], [503, '\ufffddown'])
    assert.deepEqual((await call('GET', `webhooks/${id}`)).body.data.deliveries, { pending: 0, failed: 1 })
  })

  it('respects Retry-After', async () => {
    const { url, receiver } = await aReceiver()
    receiver.answer = (_request, response) => response.writeHead(429, { 'Retry-After': '3600' }).end()
    const { contact, attempted } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    const { nextAttemptAt } = await attempted(1)
    assert.ok(Date.parse(nextAttemptAt!) > Date.now() + 3_590_000)
  })

  it('disables a webhook that responds with 410', async () => {
    const { url, receiver } = await aReceiver()
    receiver.answer = () => 410
    const { contact, all, endpoint } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    await all('FAILED')
    const { status, disabledReason, disabledAt } = await eventually('it is disabled', async () => {
      const found = await endpoint()
      return found['status'] === 'DISABLED' ? found : undefined
    })
    assert.deepEqual([status, disabledReason], ['DISABLED', 'GONE'])
    assert.ok(disabledAt)
  })

  it('disables a webhook that failed for three days, and continues when it is enabled', async () => {
    const { url, receiver } = await aReceiver()
    receiver.answer = () => 500
    const { contact, attempted, endpoint, call, id, all, list } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    await attempted(1)
    await sql(em(), `update webhook_endpoints set failing_since = now() - interval '71 hours', failures = 10`)
    await makeDue()
    await attempted(2)
    assert.equal((await endpoint())['status'], 'ENABLED')
    await sql(em(), `update webhook_endpoints set failing_since = now() - interval '73 hours', failures = 10`)
    await makeDue()
    await eventually('it is disabled', async () => (await endpoint())['disabledReason'] === 'FAILING' || undefined)
    await attempted(3)
    await makeDue()
    receiver.answer = () => 200
    assert.deepEqual(
      (await list()).map(({ status, attempts }) => [status, attempts]),
      [['PENDING', 3]],
    )
    const enabled = await call('PATCH', `webhooks/${id}`, { status: 'ENABLED' })
    assert.deepEqual([enabled.body.data.disabledReason, enabled.body.data.failingSince], [null, null])
    await all('DELIVERED')
  })

  it('is not delayed by another webhook that hangs, and sends few requests to it', async () => {
    const [hanging, healthy] = [await aReceiver(), await aReceiver()]
    let answered = 0
    hanging.receiver.answer = (_request, response) => new Promise(() => response.on('close', () => (answered += 1)))
    const [slow, fast] = [await aWorkspaceWith(hanging.url), await aWorkspaceWith(healthy.url)]
    for (const { contact } of [slow, fast])
      await Promise.all(Array.from({ length: 60 }, (_, n) => contact(`c-${n}@example.com`)))
    deliver()
    await eventually('the healthy one has all', () => healthy.requests.length === 60 || undefined)
    await fast.all('DELIVERED')
    assert.equal(answered, 0)
    assert.equal(hanging.requests.length, 10)
  })

  it('has at most ten requests of a webhook in flight, and delivers each event once', async () => {
    const { url, requests, receiver } = await aReceiver()
    let [running, most] = [0, 0]
    receiver.answer = async () => {
      most = Math.max(most, (running += 1))
      for (let n = 0; n < 20; n += 1) await turn()
      running -= 1
      return 204
    }
    const { all, call } = await aWorkspaceWith(url)
    const contacts = Array.from({ length: 100 }, (_, n) => ({ email: `many-${n}@example.com` }))
    await call('POST', 'contacts/bulk', { contacts })
    deliver()
    const other = startDeliveries()
    await all('DELIVERED')
    await other.stop()
    assert.equal(requests.length, 100)
    assert.equal(new Set(requests.map(idOf)).size, 100)
    assert.ok(most > 1 && most <= 20, String(most))
  })

  it('sends the events of a contact in order', async () => {
    const { url, requests, receiver } = await aReceiver()
    receiver.answer = async () => {
      for (let n = Math.random() * 20; n > 0; n -= 1) await turn()
      return 200
    }
    const { contact, all } = await aWorkspaceWith(url)
    for (let n = 0; n < 10; n += 1)
      for (const one of ['a', 'b', 'c']) await contact(`${one}@example.com`, { firstName: String(n) })
    deliver()
    const other = startDeliveries()
    await all('DELIVERED')
    await other.stop()
    for (const one of ['a', 'b', 'c']) {
      const names = requests
        .filter((request) => emailOf(request) === `${one}@example.com`)
        .map(({ body }) => (JSON.parse(body) as { data: { firstName: string } }).data.firstName)
      assert.deepEqual(names, ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    }
  })

  it('does not delay the events of a contact by many of another one', async () => {
    const { url, requests } = await aReceiver()
    const { contact, workspaceId } = await aWorkspaceWith(url)
    const busy = await contact('busy@example.com')
    await sql(
      em(),
      `insert into webhook_events (workspace_id, contact_id, type, data)
       select $1::uuid, $2::uuid, 'contact.updated', '{}' from generate_series(1, 600)`,
      [workspaceId, busy],
    )
    await contact('ada@example.com')
    deliver()
    const before = await eventually('it is sent', () => {
      const found = requests.findIndex((request) => emailOf(request) === 'ada@example.com')
      return found < 0 ? undefined : found + 1
    })
    assert.ok(before <= 20, String(before))
  })

  it('keeps the place of deliveries that are given back', async () => {
    const { contact, id } = await aWorkspaceWith('http://127.0.0.1:9/')
    await contact('ada@example.com')
    const leased = await em().transactional(async (unit) => {
      await lockDueEndpoints(unit, [])
      return leaseDeliveries(unit, [{ id, max: 10 }])
    })
    const dueAt = () => sql(em(), 'select due_at from webhook_deliveries where endpoint_id = $1::uuid', [id])
    const before = await dueAt()
    await releaseDeliveries(em(), leased, 0)
    assert.deepEqual(await dueAt(), before)
  })

  it('does not hold back the later events of a contact after a failure', async () => {
    const { url, receiver } = await aReceiver()
    receiver.answer = ({ body }) => (body.includes('contact.created') ? 500 : 200)
    const { contact, list } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    await contact('ada@example.com', { firstName: 'Ada' })
    deliver()
    await eventually('the second is delivered', async () => {
      const [second, first] = await list()
      return (second!.status === 'DELIVERED' && first!.status === 'PENDING') || undefined
    })
  })

  it('follows no redirect', async () => {
    const [first, second] = [await aReceiver(), await aReceiver()]
    first.receiver.answer = (_request, response) => response.writeHead(307, { Location: second.url }).end()
    const { contact, attempted } = await aWorkspaceWith(first.url)
    await contact('ada@example.com')
    deliver()
    assert.equal((await attempted(1)).lastAttempt!.status, 307)
    assert.equal(second.requests.length, 0)
  })

  it('reads only the beginning of an endless response', async () => {
    const { url, receiver } = await aReceiver()
    receiver.answer = (_request, response) =>
      new Promise<void>((resolve) => {
        response.writeHead(200)
        const write = (): void => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', write)
        response.on('close', resolve)
        write()
      })
    const { contact, all } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    const [delivered] = await all('DELIVERED')
    assert.equal(delivered!.lastAttempt!.response, 'x'.repeat(1_024))
  })

  it('tries again if the connection is closed without a response, or there is none in time', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const closing = await aWorkspaceWith(`http://127.0.0.1:${port}/`)
    const hanging = await aReceiver()
    hanging.receiver.answer = () => new Promise(() => undefined)
    const late = await aWorkspaceWith(hanging.url)
    for (const { contact } of [closing, late]) await contact('ada@example.com')
    // On a busy machine, even a closed connection takes a while.
    deliver({ timeoutMs: 3_000 })
    assert.match((await closing.attempted(1)).lastAttempt!.problem!, /connection failed: ECONNRESET/)
    assert.match((await late.attempted(1)).lastAttempt!.problem!, /No response within 3 s/)
    server.close()
  })

  it('sends nothing to a private address', async () => {
    const { url, requests } = await aReceiver()
    // They would not be saved, but a public name can lead to a private address later.
    const open = async (at: string) => {
      const workspace = await aWorkspaceWith('https://example.com')
      await sql(em(), 'update webhook_endpoints set url = $1 where id = $2::uuid', [at, workspace.id])
      return workspace
    }
    const named = await open(url.replace('127.0.0.1', 'localhost'))
    const numbered = await open(url)
    for (const { contact } of [named, numbered]) await contact('ada@example.com')
    deliver({ allowedHosts: [] })
    assert.match((await named.all('FAILED'))[0]!.lastAttempt!.problem!, /resolves to a private address/)
    assert.match((await numbered.all('FAILED'))[0]!.lastAttempt!.problem!, /in a private network/)
    assert.equal(requests.length, 0)
  })

  it('signs with both secrets after a rotation, and with the new one after a day', async () => {
    const { url, requests, receiver } = await aReceiver()
    let release = () => {}
    receiver.answer = () => new Promise((resolve) => (release = () => resolve(500)))
    const { contact, secret, call, id, all } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    deliver()
    await eventually('the first attempt', () => requests[0])
    const rotated = (await call('POST', `webhooks/${id}/rotate-secret`)).body.data.secret as string
    receiver.answer = () => 200
    release()
    await eventually('it failed', async () => {
      await makeDue()
      return requests[1]
    })
    await all('DELIVERED')
    const verify = (by: string, { body, headers }: ReceivedRequest) =>
      new Webhook(by).verify(body, headers as Record<string, string>)
    assert.ok(verify(secret, requests[0]!))
    assert.ok(verify(secret, requests[1]!) && verify(rotated, requests[1]!))
    await sql(em(), 'update webhook_endpoints set previous_until = now()')
    await contact('bob@example.com')
    await all('DELIVERED')
    assert.ok(verify(rotated, requests[2]!))
    assert.throws(() => verify(secret, requests[2]!))
  })

  it('sends an event again with the same ID if the worker is stopped before it records the response', async () => {
    const { url, requests, receiver } = await aReceiver()
    receiver.answer = () => new Promise(() => undefined)
    const { contact, all } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    const first = startDeliveries()
    await eventually('it is sent', () => requests[0])
    await first.stop()
    receiver.answer = () => 200
    deliver()
    const [delivered] = await all('DELIVERED')
    assert.deepEqual(requests.map(idOf), [delivered!.id, delivered!.id])
    assert.equal(delivered!.attempts, 1)
  })

  it('sends an event when the lease of a killed worker ends', async () => {
    const { url, requests } = await aReceiver()
    const { contact, all, list } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    await em().transactional(async (unit) => {
      const [endpoint] = await lockDueEndpoints(unit, [])
      assert.equal((await leaseDeliveries(unit, [{ id: endpoint!.id, max: 10 }])).length, 1)
    })
    const { call, contact: another } = await aWorkspaceWith(url)
    await another('bob@example.com')
    deliver()
    await eventually('the other is sent', () => requests[0])
    assert.equal((await list())[0]!.status, 'PENDING')
    await sql(em(), 'update webhook_deliveries set leased_until = now() where leased_until is not null')
    await all('DELIVERED')
    assert.equal((await call('GET', 'webhooks')).status, 200)
  })

  it('replays an event, a range, and what failed', async () => {
    const { url, requests, receiver } = await aReceiver()
    const { contact, all, call, id, list } = await aWorkspaceWith(url)
    await contact('old@example.com')
    await sql(em(), `update webhook_events set created_at = now() - interval '2 hours'`)
    await contact('new@example.com')
    deliver()
    const [newer, older] = await all('DELIVERED')
    assert.equal((await call('POST', `webhooks/${id}/deliveries/${older!.id}/replay`)).body.data.replayed, 1)
    await eventually('it is sent again', () => requests.length === 3 || undefined)
    assert.equal(idOf(requests[2]!), older!.id)
    await all('DELIVERED')
    const since = new Date(Date.now() - 3_600_000).toISOString()
    assert.equal((await call('POST', `webhooks/${id}/replay`, { since })).body.data.replayed, 1)
    await eventually('it is sent again', () => requests.length === 4 || undefined)
    assert.equal(idOf(requests[3]!), newer!.id)
    await all('DELIVERED')
    const range = { since: '2026-01-01', until: since }
    assert.equal((await call('POST', `webhooks/${id}/replay`, { ...range, status: 'FAILED' })).body.data.replayed, 0)
    await sql(em(), `update webhook_deliveries set status = 'FAILED', attempts = 10`)
    receiver.answer = () => 500
    assert.equal((await call('POST', `webhooks/${id}/replay`, { ...range, status: 'FAILED' })).body.data.replayed, 1)
    await eventually('it starts over', async () => {
      const [, again] = await list()
      return (again!.status === 'PENDING' && again!.attempts === 1) || undefined
    })
  })

  it('replays events that a disabled webhook did not get', async () => {
    const { url, requests } = await aReceiver()
    const { contact, all, call, id } = await aWorkspaceWith(url)
    // Another webhook, without which nothing is recorded in the meantime.
    await call('POST', 'webhooks', { events: ['*'] })
    await call('PATCH', `webhooks/${id}`, { status: 'DISABLED' })
    await contact('ada@example.com')
    const since = '2026-01-01'
    assert.equal((await call('POST', `webhooks/${id}/replay`, { since })).refused, '409 webhook_disabled')
    await call('PATCH', `webhooks/${id}`, { status: 'ENABLED' })
    assert.equal((await call('POST', `webhooks/${id}/replay`, { since })).body.data.replayed, 1)
    deliver()
    await all('DELIVERED')
    assert.deepEqual(requests.map(emailOf), ['ada@example.com'])
  })

  it('waits for a worker that can sign', async () => {
    const { url, requests } = await aReceiver()
    const { contact, all, list } = await aWorkspaceWith(url)
    await contact('ada@example.com')
    const without = startDeliveries({}, createSecrets(undefined))
    await eventually('it is given back', async () => {
      const [one] = await list()
      return Date.parse(one!.nextAttemptAt!) > Date.now() + 5_000 || undefined
    })
    await without.stop()
    assert.deepEqual([requests.length, (await list())[0]!.attempts], [0, 0])
    await makeDue()
    deliver()
    await all('DELIVERED')
  })

  it('lists deliveries by status and in pages', async () => {
    const { url } = await aReceiver()
    const { call, all, id } = await aWorkspaceWith(url)
    const contacts = Array.from({ length: 7 }, (_, n) => ({ email: `page-${n}@example.com` }))
    await call('POST', 'contacts/bulk', { contacts })
    deliver()
    await all('DELIVERED')
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await call('GET', `webhooks/${id}/deliveries?status=DELIVERED&limit=3${cursor}`)
      seen.push(...(body.data as Delivery[]).map((one) => one.id))
      cursor = body.pagination.nextCursor === null ? '' : `&cursor=${body.pagination.nextCursor as string}`
    } while (cursor !== '')
    assert.equal(new Set(seen).size, 7)
    assert.deepEqual((await call('GET', `webhooks/${id}/deliveries?status=PENDING`)).body.data, [])
  })

  it('forgets events after 30 days', async () => {
    const { contact, list } = await aWorkspaceWith('http://127.0.0.1:9/')
    await contact('ada@example.com')
    await sql(em(), `update webhook_events set created_at = now() - interval '29 days'`)
    await deleteOldWebhookEvents(em(), 1_000)
    assert.equal((await list()).length, 1)
    await sql(em(), `update webhook_events set created_at = now() - interval '31 days'`)
    await deleteOldWebhookEvents(em(), 1_000)
    assert.deepEqual(await list(), [])
  })
})
