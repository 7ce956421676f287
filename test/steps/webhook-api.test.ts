// cspell:ignore ILPZ
import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { signedHeaders } from '../../src/platform/webhook-signature.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('a webhook in the API', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const create = (...steps: object[]) =>
    service.call('POST', 'automations', { name: 'x', trigger: 'SIGNUP', status: 'DRAFT', steps })
  const webhook = (fields: object) => ({ type: 'WEBHOOK', url: 'https://example.com/hook', ...fields })

  it('is rejected if its templates, URL or headers are not valid', async () => {
    const deviations: unknown[] = []
    for (const [what, fields, param, message] of [
      [
        'a template in its body that is not valid',
        { body: { user: [{ 'a/b': '{{ contact.email' }] } },
        '/steps/0/body/user/0/a~1b',
        /^steps\[0\]\.body\.user\[0\]\.a\/b is not a valid template: /,
      ],
      [
        'a template in a header that is not valid',
        { headers: { 'X-Name': '{% if %}' } },
        '/steps/0/headers/X-Name',
        /^steps\[0\]\.headers\.X-Name is not a valid template: /,
      ],
      [
        'more than 100 templates',
        { body: Array.from({ length: 101 }, () => '{{ contact.email }}') },
        '/steps/0',
        /must not have more than 100 texts with variables/,
      ],
      [
        'variables in its URL',
        { url: 'https://example.com/{{ contact.id }}' },
        '/steps/0/url',
        /must not have variables/,
      ],
      ['a user name in its URL', { url: 'https://user:pass@example.com/' }, '/steps/0/url', /without a user name/],
      ['an IPv6 zone in its URL', { url: 'http://[fe80::1%25eth0]/' }, '/steps/0/url', /must be an http or https URL/],
      [
        'a private address',
        { url: 'http://10.0.0.5/hook' },
        '/steps/0/url',
        /must not be an address in a private network/,
      ],
      [
        'this machine',
        { url: 'http://localhost:8080/' },
        '/steps/0/url',
        /must not be an address in a private network/,
      ],
      ['another protocol', { url: 'file:///etc/passwd' }, '/steps/0/url', /must be an http or https URL/],
      ['a header that is reserved', { headers: { Trailer: 'x' } }, '/steps/0/headers', /must not have Trailer/],
      ['a signature of its own', { headers: { 'Webhook-Signature': 'x' } }, '/steps/0/headers', /must not have/],
      ['a line break in a header', { headers: { 'X-A': 'a\r\nX-B: b' } }, '/steps/0/headers', /ASCII/],
    ] as const) {
      const { status, body, headers } = await create(webhook(fields))
      const { error } = body as { error: string }
      const found = headers.get('x-error-param')
      if (status !== 400 || !message.test(error) || found !== param) deviations.push({ what, status, error, found })
    }
    assert.deepEqual(deviations, [])
  })

  it('warns of an unknown variable, and knows those of webhooks and contacts', async () => {
    const known = '{{ steps.account.plan }} {{ contact.id }} {{ contact.tags }} {{ contact.createdAt }}'
    const { status, headers } = await create(webhook({ body: [known, '{{ contact.nme }}'] }))
    assert.equal(status, 201)
    assert.match(headers.get('x-warning') ?? '', /^\/steps\/0\/body\/1: \{\{ contact\.nme \}\} is not a known variable/)
  })

  describe('has a signing secret', () => {
    let owner: BrowserLike
    before(async () => {
      owner = (await aMember(service, 'owner')).browser
    })
    const secretOf = async (method: string, path: string) => {
      const { status, body } = await owner.ask(method, path, { workspaceId: service.workspaceId })
      assert.equal(status, 200)
      return (body as { data: { secret: string } }).data.secret
    }

    it('that editors and keys with the scope read, and that is stored encrypted', async () => {
      const secret = await secretOf('GET', 'webhook-secret')
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.equal(await secretOf('GET', 'webhook-secret'), secret)
      assert.equal((await service.call('GET', 'webhook-secret')).body.data.secret, secret)
      const [kept] = await sql<{ secret: Buffer }>(
        service.context.orm.em.fork(),
        'select secret from webhook_secrets where workspace_id = $1',
        [service.workspaceId],
      )
      assert.ok(!kept!.secret.includes(secret) && !kept!.secret.includes(Buffer.from(secret.slice(6), 'base64')))
    })

    it('that viewers and other keys do not read', async () => {
      const { browser } = await aMember(service, 'viewer')
      assert.equal((await browser.ask('GET', 'webhook-secret', { workspaceId: service.workspaceId })).status, 403)
      const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['webhooks:read'] })
      assert.equal((await service.call('GET', 'webhook-secret', undefined, { key })).refused, '403 scope_missing')
    })

    it('that is replaced', async () => {
      const before = await secretOf('GET', 'webhook-secret')
      const after = await secretOf('POST', 'webhook-secret/rotate')
      assert.notEqual(after, before)
      assert.equal(await secretOf('GET', 'webhook-secret'), after)
    })
  })
})

describe('the signature of a webhook', () => {
  it('is that of the example of Standard Webhooks', () => {
    const request = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      at: new Date(1_614_265_330_000),
      body: '{"test": 2432232314}',
    }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    assert.deepEqual(signedHeaders([secret], request), {
      'webhook-id': request.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
    const both = signedHeaders([secret, 'whsec_AAAA'], request)['webhook-signature']!
    assert.equal(both.split(' ').length, 2)
    assert.equal(signedHeaders([], request)['webhook-signature'], undefined)
  })
})
