import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'
import { aWebhook, eventsOf } from '../support/webhook-events.ts'

describe('the API of webhooks', () => {
  let service: Service
  before(async () => {
    service = await startService({
      worker: false,
      env: { SECRETS_KEY: 'k'.repeat(44), WEBHOOK_ALLOWED_HOSTS: '10.0.0.5,hooks.internal' },
    })
  })
  after(() => service.stop())

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
    assert.deepEqual(
      (await service.call('GET', 'webhooks')).body.data.map((one: { id: string }) => one.id),
      [id],
    )
    assert.equal((await service.call('DELETE', path)).status, 200)
    assert.equal((await service.call('GET', path)).refused, '404 webhook_not_found')
  })

  it('shows the secret to owners only, and stores it encrypted', async () => {
    const { id, secret } = await aWebhook(service, { url })
    const [owner, editor] = [await aMember(service, 'owner'), await aMember(service, 'editor')]
    const ask = ({ browser }: typeof owner) =>
      browser.ask('GET', `webhooks/${id}/secret`, { workspaceId: service.workspaceId })
    assert.equal((await ask(owner)).body.data.secret, secret)
    assert.equal((await ask(editor)).refused, '403 role_missing')
    assert.equal((await service.call('GET', `webhooks/${id}/secret`)).refused, '403 people_only')
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

  for (const [what, fields, message] of [
    ['no events', { url }, /events is required/],
    ['an empty list of events', { url, events: [] }, /at least one type/],
    ['an unknown event', { url, events: ['contact.renamed'] }, /events\[0\] must be one of/],
    ['a test event', { url, events: ['webhook.test'] }, /events\[0\] must be one of/],
    ['an URL of another protocol', { url: 'ftp://example.com', events: ['*'] }, /http or https/],
    ['an URL with a password', { url: 'https://a:b@example.com', events: ['*'] }, /without a user name/],
    ['an URL that is none', { url: 'example', events: ['*'] }, /http or https/],
    ['an URL that is too long', { url: `${url}/${'x'.repeat(2_000)}`, events: ['*'] }, /longer than 2000/],
    ...[
      'http://127.0.0.1/',
      'http://2130706433/',
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://127.1:8080/',
      'http://[::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://[fd00::1]/',
      'http://169.254.169.254/latest',
      'http://10.0.0.6/',
      'https://192.168.1.1./',
      'http://0.0.0.0/',
    ].map((given) => [`the private address ${given}`, { url: given, events: ['*'] }, /private network/] as const),
  ] as const) {
    it(`rejects ${what}`, async () => {
      const { status, body } = await service.call('POST', 'webhooks', fields)
      assert.equal(status, 400)
      assert.match(body.error as string, message)
      const { id } = await aWebhook(service, { url })
      if ('url' in fields && fields.url !== url)
        assert.equal((await service.call('PATCH', `webhooks/${id}`, { url: fields.url })).status, 400)
    })
  }

  it('accepts an address that the operator allows', async () => {
    assert.ok((await aWebhook(service, { url: 'http://10.0.0.5:8080/hook' })).id)
  })

  it('rejects an update without a change', async () => {
    const { id } = await aWebhook(service, { url })
    assert.equal((await service.call('PATCH', `webhooks/${id}`, {})).refused, '400 nothing_to_update')
  })

  it('hides the webhooks of other workspaces', async () => {
    const { id } = await aWebhook(service, { url })
    const key = await service.newKey()
    for (const [method, path, body] of [
      ['GET', `webhooks/${id}`],
      ['PATCH', `webhooks/${id}`, { events: ['*'] }],
      ['DELETE', `webhooks/${id}`],
      ['POST', `webhooks/${id}/rotate-secret`],
      ['POST', `webhooks/${id}/test`],
      ['GET', `webhooks/${id}/deliveries`],
      ['GET', `webhooks/${id}/deliveries/${newId()}`],
      ['POST', `webhooks/${id}/deliveries/${newId()}/replay`],
      ['POST', `webhooks/${id}/replay`, { since: '2026-01-01' }],
      ['GET', `webhooks/${id}/events`],
    ] as const)
      assert.equal((await service.call(method, path, body, { key })).refused, '404 webhook_not_found', path)
    assert.deepEqual((await service.call('GET', 'webhooks', undefined, { key })).body.data, [])
  })

  it('needs the scope of webhooks', async () => {
    const reads = await service.newKey({ workspaceId: service.workspaceId, scopes: ['webhooks:read'] })
    const writes = await service.newKey({ workspaceId: service.workspaceId, scopes: ['webhooks:write'] })
    assert.equal((await service.call('GET', 'webhooks', undefined, { key: writes })).refused, '403 scope_missing')
    const created = await service.call('POST', 'webhooks', { url, events: ['*'] }, { key: reads })
    assert.equal(created.refused, '403 scope_missing')
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
    assert.deepEqual(
      (await list(id)).map((one) => ({ ...one, createdAt: '', nextAttemptAt: '' })),
      [
        {
          id: body.data.id,
          type: 'webhook.test',
          status: 'PENDING',
          attempts: 0,
          createdAt: '',
          nextAttemptAt: '',
          finishedAt: null,
        },
      ],
    )
    assert.deepEqual(await list(other.id), [])
    await service.call('PATCH', `webhooks/${id}`, { status: 'DISABLED' })
    assert.equal((await service.call('POST', `webhooks/${id}/test`)).refused, '409 webhook_disabled')
    assert.equal((await eventsOf(service)).filter(({ type }) => type === 'webhook.test').length, 1)
  })
})
