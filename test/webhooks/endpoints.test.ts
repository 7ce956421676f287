import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { aWebhook, eventsOf } from '../support/webhook-events.ts'

describe('the API of webhooks', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const url = 'https://example.com/hook'

  it('creates, lists, updates and deletes a webhook', async () => {
    const { status, body } = await service.call('POST', 'webhooks', {
      url,
      events: ['contact.created', 'contact.created', 'message.sent'],
      description: 'CRM',
    })
    assert.equal(status, 201)
    const { id, secret, ...fields } = body.data
    assert.match(secret as string, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(
      [fields.url, fields.events, fields.description, fields.status, fields.failingSince],
      [url, ['contact.created', 'message.sent'], 'CRM', 'ENABLED', null],
    )
    const path = `webhooks/${id as string}`
    const read = (await service.call('GET', path)).body.data
    assert.equal(read.secret, undefined)
    assert.deepEqual(read.deliveries, { pending: 0, failed: 0 })
    const changed = await service.call('PATCH', path, { events: ['*'], url: null, status: 'DISABLED' })
    const { events, url: noUrl, status: now, disabledReason, description } = changed.body.data
    assert.deepEqual([events, noUrl, now, disabledReason, description], [['*'], null, 'DISABLED', null, 'CRM'])
    const { data } = (await service.call('GET', 'webhooks')).body
    assert.ok((data as { id: string }[]).some((one) => one.id === id))
    const another = { key: await service.newKey() }
    assert.deepEqual((await service.call('GET', 'webhooks', undefined, another)).body.data, [])
    assert.equal((await service.call('DELETE', path)).status, 200)
    assert.equal((await service.call('GET', path)).refused, '404 webhook_not_found')
  })

  it('shows the secret to an owner, and stores it encrypted', async () => {
    const { id, secret } = await aWebhook(service, { url })
    const { browser } = await aMember(service, 'owner')
    const { body } = await browser.ask('GET', `webhooks/${id}/secret`, { workspaceId: service.workspaceId })
    assert.deepEqual(body, { data: { secret } })
    const [kept] = await sql<{ secret: Buffer }>(
      service.context.orm.em.fork(),
      'select secret from webhook_endpoints where id = $1::uuid',
      [id],
    )
    assert.ok(!kept!.secret.includes(Buffer.from(secret.slice(6), 'base64')))
  })

  it('rotates the secret', async () => {
    const { id, secret } = await aWebhook(service, { url })
    const { body } = await service.call('POST', `webhooks/${id}/rotate-secret`)
    assert.notEqual(body.data.secret, secret)
    assert.ok(new Date(body.data.previousSecretUntil as string) > new Date(Date.now() + 23 * 3_600_000))
  })

  it('rejects invalid events and URLs, and private addresses', async () => {
    const { id } = await aWebhook(service, { url })
    for (const [fields, message] of [
      [{ url }, /events is required/],
      [{ url, events: [] }, /at least one type/],
      [{ url, events: ['contact.renamed'] }, /events\[0\] must be one of/],
      [{ url, events: ['webhook.test'] }, /events\[0\] must be one of/],
      [{ url: 'ftp://example.com', events: ['*'] }, /http or https/],
      [{ url: 'https://a:b@example.com', events: ['*'] }, /without a user name/],
      [{ url: 'example', events: ['*'] }, /http or https/],
      [{ url: `${url}/${'x'.repeat(2_000)}`, events: ['*'] }, /longer than 2000/],
      ...[
        ...['http://127.0.0.2/', 'http://2130706434/', 'http://127.2:8080/', 'http://[fd00::1]/', 'https://10.0.0.6./'],
      ].map((given) => [{ url: given, events: ['*'] }, /private network/] as const),
    ] as const) {
      const created = await service.call('POST', 'webhooks', fields)
      assert.equal(created.status, 400, JSON.stringify(fields))
      assert.match(created.body.error as string, message)
      const { status } = await service.call('PATCH', `webhooks/${id}`, fields)
      assert.equal(status, 'events' in fields ? 400 : 200, JSON.stringify(fields))
    }
  })

  it('accepts an address that the operator allows', async () => {
    assert.ok((await aWebhook(service, { url: 'http://127.0.0.1:8080/hook' })).id)
  })

  it('rejects an update without a change', async () => {
    const { id } = await aWebhook(service, { url })
    assert.equal((await service.call('PATCH', `webhooks/${id}`, {})).refused, '400 nothing_to_update')
  })

  it('limits the webhooks of a workspace, also of concurrent requests', async () => {
    const { id: workspaceId } = await createWorkspace(service.context.orm.em, { name: 'Many', mode: 'test' })
    const key = await service.newKey({ workspaceId })
    const create = () => service.call('POST', 'webhooks', { url, events: ['*'] }, { key })
    const answers = await Promise.all(Array.from({ length: 53 }, create))
    assert.equal(answers.filter(({ status }) => status === 201).length, 50)
    assert.ok(answers.some(({ refused }) => refused === '409 webhook_limit_reached'))
  })

  it('records a test event for one webhook only', async () => {
    const { id } = await aWebhook(service, { url })
    const other = await aWebhook(service, { url })
    const { body } = await service.call('POST', `webhooks/${id}/test`)
    const list = async (of: string) => (await service.call('GET', `webhooks/${of}/deliveries`)).body.data as object[]
    const [delivery, ...others] = await list(id)
    assert.partialDeepStrictEqual(delivery, { id: body.data.id, type: 'webhook.test', status: 'PENDING', attempts: 0 })
    assert.deepEqual(others, [])
    assert.deepEqual(await list(other.id), [])
    await service.call('PATCH', `webhooks/${id}`, { status: 'DISABLED' })
    assert.equal((await service.call('POST', `webhooks/${id}/test`)).refused, '409 webhook_disabled')
    assert.equal((await eventsOf(service)).filter(({ type }) => type === 'webhook.test').length, 1)
  })
})
