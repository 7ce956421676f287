import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { createSecrets } from '../../src/platform/secrets.ts'
import { newId } from '../../src/platform/ids.ts'
import { startWebhookDeliveries } from '../../src/webhooks/deliver.ts'
import { suppressHashes } from '../../src/contacts/index.ts'
import { recordWebhookFacts } from '../../src/webhooks/index.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf } from '../support/factories.ts'
import { lockWaits } from '../support/locks.ts'
import { quietLog } from '../support/log.ts'
import type { Service } from '../support/service.ts'
import { startWebhookServer } from '../support/webhook-server.ts'
import { aWebhook, eventsOf, WEBHOOK_ENV } from '../support/webhook-events.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('erasing a contact', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  // The deliveries are those of all workspaces.
  const deleteAll = () => sql(em(), 'delete from webhook_endpoints')
  before(deleteAll)
  afterEach(deleteAll)

  const em = () => service.context.orm.em.fork()

  it('deletes the event of an email whose outcome is recorded in the meantime', async () => {
    await aWebhook(service)
    const contactId = await aContact(service)
    const messageId = newId()
    await sql(
      em(),
      `insert into messages (id, workspace_id, contact_id, campaign_id, due_at, status, claim, lease_until)
       values ($1::uuid, $2::uuid, $3::uuid, $4::uuid, now(), 'SENDING', gen_random_uuid(), now() + interval '30 seconds')`,
      [messageId, service.workspaceId, contactId, newId()],
    )
    let erased: Promise<unknown> | undefined
    await em().transactional(async (unit) => {
      await sql(unit, `update messages set status = 'SENT', lease_until = null, final_at = now() where id = $1::uuid`, [
        messageId,
      ])
      await recordWebhookFacts(unit, [{ type: 'message.sent', workspaceId: service.workspaceId, messageId }])
      erased = service.call('DELETE', `contacts/${contactId}`)
      await eventually('the contact is erased', async () =>
        (await sql(em(), 'select from contacts where id = $1::uuid', [contactId])).length === 0 ? true : undefined,
      )
    })
    await erased
    await eventually('the message is deleted', async () =>
      (await sql(em(), 'select from messages where id = $1::uuid', [messageId])).length === 0 ? true : undefined,
    )
    assert.deepEqual(await eventsOf(service, { contactId }), [])
  })

  it('deletes the event of an opt-out by a link of an earlier contact with the address', async () => {
    await aWebhook(service)
    const contactId = await aContact(service)
    const query = 'select address_hash($1::uuid, $2) as hash'
    const email = await addressOf(service, contactId)
    const [address] = await sql<{ hash: Buffer }>(em(), query, [service.workspaceId, email])
    let erased: Promise<unknown> | undefined
    await em().transactional(async (unit) => {
      await suppressHashes(unit, service.workspaceId, [address!.hash], 'UNSUBSCRIBED')
      assert.equal((await eventsOf(service, { contactId })).length, 1, 'the event is not committed yet')
      erased = service.call('DELETE', `contacts/${contactId}`)
      await lockWaits(em())
    })
    await erased
    assert.deepEqual(await eventsOf(service, { contactId }), [])
  })

  it('deletes its deliveries, also those that a worker has taken', async () => {
    const { url, requests, receiver, stop } = await startWebhookServer()
    const { id: webhookId } = await aWebhook(service, { url, events: ['contact.created'] })
    const release: (() => void)[] = []
    receiver.answer = () => new Promise((resolve) => release.push(() => resolve(200)))
    const contacts = await Promise.all(Array.from({ length: 30 }, () => aContact(service)))
    const deliveries = startWebhookDeliveries(
      { em: service.context.orm.em, log: quietLog, secrets: createSecrets(WEBHOOK_ENV.SECRETS_KEY) },
      { allowedHosts: ['127.0.0.1'], idleMs: 10, freshMs: 0 },
    )
    await eventually('ten are in flight', () => requests.length === 10 || undefined)
    const waiting: string[] = []
    for (const id of contacts) {
      const address = await addressOf(service, id)
      if (!requests.some(({ body }) => body.includes(`"${address}"`))) waiting.push(id)
    }
    const erased = waiting.slice(0, 5)
    for (const id of erased) await service.call('DELETE', `contacts/${id}`)
    receiver.answer = () => 200
    for (const go of release) go()
    await eventually('the others are sent', () => requests.length === 25 || undefined)
    const pending = `select from webhook_deliveries where status = 'PENDING' and endpoint_id = $1::uuid`
    await eventually('nothing is pending', async () =>
      (await sql(em(), pending, [webhookId])).length === 0 ? true : undefined,
    )
    await deliveries.stop(1_000)
    await stop()
    assert.equal(requests.length, 25)
    assert.ok(requests.every(({ body }) => erased.every((id) => !body.includes(id))))
  })

  it('sends what a worker has taken to the new URL, if the webhook is changed', async () => {
    const [before, now] = [await startWebhookServer(), await startWebhookServer()]
    const { id } = await aWebhook(service, { url: before.url, events: ['contact.created'] })
    const release: (() => void)[] = []
    before.receiver.answer = () => new Promise((resolve) => release.push(() => resolve(410)))
    for (let n = 0; n < 30; n += 1) await aContact(service)
    const deliveries = startWebhookDeliveries(
      { em: service.context.orm.em, log: quietLog, secrets: createSecrets(WEBHOOK_ENV.SECRETS_KEY) },
      { allowedHosts: ['127.0.0.1'], idleMs: 10, freshMs: 0 },
    )
    await eventually('ten are in flight', () => before.requests.length === 10 || undefined)
    assert.equal((await service.call('PATCH', `webhooks/${id}`, { url: now.url })).status, 200)
    for (const go of release) go()
    await eventually('the others are sent', () => now.requests.length === 20 || undefined)
    await deliveries.stop(1_000)
    await before.stop()
    await now.stop()
    assert.equal(before.requests.length, 10)
    assert.equal((await service.call('GET', `webhooks/${id}`)).body.data.status, 'ENABLED')
  })
})
