import assert from 'node:assert/strict'
import { get } from 'node:http'
import { aDraftCampaign } from '../support/campaigns.ts'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('responses', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  describe('to a key that may write contacts but not read them', () => {
    let key: string
    before(async () => {
      key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:write'] })
    })
    const post = (path: string, body: object) => service.call('POST', path, body, { key })
    const profile = { email: 'Ada@example.com', firstName: 'Ada', metadata: { plan: 'secret' }, tags: ['secret'] }

    it('returns the ID of an existing contact, but no stored data', async () => {
      const listId = await aList(service)
      const id = await aContact(service, { ...profile, listId })
      const { status, body } = await post('contacts', { email: 'ada@EXAMPLE.com' })
      assert.deepEqual([status, body], [200, { data: { id, email: 'ada@EXAMPLE.com' } }])
      const tagged = await post(`contacts/${id}/tags`, { tags: ['new', 'NEW'] })
      assert.deepEqual([tagged.status, tagged.body], [200, { data: { id, tags: ['new'] } }])
    })

    it('returns what the request sent', async () => {
      const listId = await aList(service)
      const given = { email: 'bob@example.com', firstName: null, metadata: { a: null, b: 1 }, tags: ['x'] }
      const { status, body } = await post('contacts', { ...given, listId })
      assert.equal(status, 201)
      assert.deepEqual(body.data, { id: body.data.id, ...given, listIds: [listId] })
    })

    it('returns the whole contact if the key may also read', async () => {
      const both = await service.newKey({
        workspaceId: service.workspaceId,
        scopes: ['contacts:write', 'contacts:read'],
      })
      await aContact(service, { ...profile, email: 'eve@example.com' })
      const { body } = await service.call('POST', 'contacts', { email: 'eve@example.com' }, { key: both })
      assert.deepEqual([body.data.firstName, body.data.metadata], ['Ada', profile.metadata])
      assert.deepEqual(body.data.tags, ['secret'])
    })
  })

  it('returns only the ID and the sent fields of an automation if the key may not read it', async () => {
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:write'] })
    const id = await anAutomation(service, { name: 'Secret plan' })
    const patch = { onSendFailure: 'CONTINUE' }
    const patched = await service.call('PATCH', `automations/${id}`, patch, { key })
    assert.deepEqual([patched.status, patched.body], [200, { data: { id, ...patch } }])
    const steps = [{ type: 'WAIT', delayMinutes: 5 }]
    const { status, body } = await service.call('PUT', `automations/${id}/steps`, { steps }, { key })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body.data).toSorted(), ['id', 'steps'])
    assert.equal(body.data.steps[0].delayMinutes, 5)

    // A response stored for a key that may read is not replayed to one that may not.
    const once = { 'idempotency-key': 'disclosed' }
    const all = await service.call('PATCH', `automations/${id}`, patch, { headers: once })
    assert.equal(all.body.data.name, 'Secret plan')
    assert.equal(
      (await service.call('PATCH', `automations/${id}`, patch, { key, headers: once })).refused,
      '422 idempotency_key_reused',
    )
  })

  it('returns only the ID and the sent fields of a campaign if the key may not read it', async () => {
    const id = await aDraftCampaign(service, [await aList(service)], { name: 'Secret plan' })
    for (const scope of ['campaigns:write', 'drafts:write'] as const) {
      const key = await service.newKey({ workspaceId: service.workspaceId, scopes: [scope] })
      const patched = await service.call('PATCH', `campaigns/${id}`, { throttlePerHour: 1_000 }, { key })
      assert.deepEqual([patched.status, patched.body], [200, { data: { id, throttlePerHour: 1_000 } }])
    }
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['campaigns:write'] })
    const copy = await service.call('POST', `campaigns/${id}/duplicate`, undefined, { key })
    assert.deepEqual([copy.status, Object.keys(copy.body.data)], [201, ['id']])
  })

  it('forbids caching of API responses and MIME sniffing', async () => {
    const origin = `http://127.0.0.1:${service.port}`
    const authorization = `Bearer ${service.key}`
    for (const [path, headers, stored] of [
      ['/api/v1/contacts', { authorization }, false],
      ['/api/v1/openapi.json', { authorization }, false],
      ['/api/v1/nowhere', { authorization }, false],
      ['/api/v1/contacts', {}, false],
      ['/API/v1/contacts', { authorization }, false],
      ['/healthz', {}, true],
      ['/docs', {}, true],
      ['/docs/start.js', {}, true],
      ['/docs/scalar.js', {}, true],
    ] as const) {
      const answer = await fetch(origin + path, { headers })
      await answer.arrayBuffer()
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path)
      if (!stored) assert.equal(answer.headers.get('cache-control'), 'no-store', path)
    }
  })

  it('serves the script of the reference page compressed and with an ETag', async () => {
    const script = `http://127.0.0.1:${service.port}/docs/scalar.js`
    const packed = await fetch(script, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(packed.headers.get('content-encoding'), 'gzip')
    assert.ok(Number(packed.headers.get('content-length')) < 2_000_000)
    const text = await packed.text()
    const plain = await fetch(script, { headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.headers.get('content-encoding'), null)
    assert.equal(await plain.text(), text)
    assert.ok(text.length > 1_000_000)
    const etag = packed.headers.get('etag')!
    // Not through fetch, which sends Cache-Control: no-cache with If-None-Match.
    const status = await new Promise((resolve, reject) => {
      get(script, { headers: { 'if-none-match': etag } }, (answer) => resolve(answer.resume().statusCode)).on(
        'error',
        reject,
      )
    })
    assert.equal(status, 304)
    const policy = (await fetch(`http://127.0.0.1:${service.port}/docs`)).headers.get('content-security-policy') ?? ''
    for (const part of ["base-uri 'none'", "form-action 'none'", "object-src 'none'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
  })
})
