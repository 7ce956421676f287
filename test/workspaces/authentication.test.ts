import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { deleteIdleWindows } from '../../src/workspaces/queries.ts'
import { createApiKey, listApiKeys, rotateApiKey } from '../../src/workspaces/create-api-key.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('authentication', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const expire = (id: string) =>
    sql(service.context.orm.em.fork(), 'update api_keys set expires_at = now() where id = $1::uuid', [id])

  it('returns the workspace and scopes of a key', async () => {
    const { status, body } = await service.call('GET', 'whoami')
    assert.equal(status, 200)
    assert.equal(body.data.workspace.id, service.workspaceId)
    assert.equal(body.data.apiKey.prefix, service.key.slice(0, 15))
    assert.ok(body.data.scopes.includes('contacts:read'))
    assert.ok(!JSON.stringify(body).includes(service.key))
  })

  it('returns the remaining rate limit after the request', async () => {
    const key = await service.newKey({ rateLimit: 7 })
    for (const remaining of [6, 5]) {
      const { body, headers } = await service.call('GET', 'whoami', undefined, { key })
      assert.partialDeepStrictEqual(body.data.rateLimit, { limit: 7, remaining })
      assert.equal(headers.get('x-ratelimit-remaining'), String(remaining))
      assert.ok(Date.parse(body.data.rateLimit.resetAt) > Date.now())
    }
  })

  it('rejects a key as soon as it expires', async () => {
    const { em } = service.context.orm
    const expiresAt = new Date(Date.now() + 60_000)
    const key = await service.newKey({ expiresAt })
    const { id } = (await listApiKeys(em)).find(({ prefix }) => key.startsWith(prefix))!
    const whoami = () => service.call('GET', 'whoami', undefined, { key })
    assert.equal((await whoami()).body.data.apiKey.expiresAt, expiresAt.toISOString())
    await expire(id)
    assert.equal((await whoami()).refused, '401 key_expired')
    await assert.rejects(rotateApiKey(em, id, 1_000), /This key has expired/)
    const { apiKey } = await createApiKey(em, {
      workspaceId: service.workspaceId,
      name: 'lent',
      scopes: [],
      expiresAt: new Date(Date.now() + 60_000),
    })
    assert.deepEqual((await rotateApiKey(em, apiKey.id, 1_000)).apiKey.expiresAt, apiKey.expiresAt)
    // Its successor would expire with the overlap.
    await assert.rejects(rotateApiKey(em, apiKey.id, 1_000), /was already rotated and expires at/)
  })

  it('accepts the old and the new key until the overlap ends', async () => {
    const { em } = service.context.orm
    const allowedRanges = ['127.0.0.0/8']
    const key = await service.newKey({ scopes: ['lists:read'], allowedRanges, rateLimit: 77 })
    const { id } = (await listApiKeys(em)).find(({ prefix }) => key.startsWith(prefix))!
    const rotated = await rotateApiKey(em, id, 60_000)
    const get = async (of: string) => (await service.call('GET', 'lists', undefined, { key: of })).refused
    assert.deepEqual([await get(key), await get(rotated.key)], [undefined, undefined])
    assert.equal((await service.call('GET', 'contacts', undefined, { key: rotated.key })).refused, '403 scope_missing')
    const { allowedRanges: ranges, rateLimit, scopes } = rotated.apiKey
    assert.deepEqual({ ranges, rateLimit, scopes }, { ranges: allowedRanges, rateLimit: 77, scopes: ['lists:read'] })
    await expire(id)
    assert.deepEqual([await get(key), await get(rotated.key)], ['401 key_expired', undefined])
  })

  it('returns the last use of a key, even after its rate limit window is deleted', async () => {
    const { em } = service.context.orm
    await sql(em.fork(), 'delete from rate_windows')
    const key = await service.newKey()
    const lastUse = async () => (await listApiKeys(em)).find(({ prefix }) => key.startsWith(prefix))!.lastUsedAt
    assert.equal(await lastUse(), null)
    await service.call('GET', 'whoami', undefined, { key })
    const used = await lastUse()
    assert.ok(used && Math.abs(used.getTime() - Date.now()) < 10_000)
    await sql(em.fork(), `update rate_windows set last_at = last_at - interval '11 minutes'`)
    await deleteIdleWindows(em.fork(), 1_000)
    assert.equal((await lastUse())!.getTime(), used.getTime() - 11 * 60_000)
  })

  it('accepts the key in either header, and prefers Authorization', async () => {
    const inOther = { key: null, headers: { 'x-api-key': service.key } }
    assert.equal((await service.call('GET', 'whoami', undefined, inOther)).status, 200)
    const both = { key: null, headers: { authorization: 'Bearer nonsense', 'x-api-key': service.key } }
    assert.equal((await service.call('GET', 'whoami', undefined, both)).refused, '401 key_malformed')
  })

  for (const scheme of ['', 'Basic ', 'Token ', 'Bearer']) {
    it(`rejects a key in Authorization after ${scheme ? `"${scheme}"` : 'no scheme'}`, async () => {
      const headers = { authorization: `${scheme}${service.key}` }
      const { refused, body } = await service.call('GET', 'whoami', undefined, { key: null, headers })
      assert.equal(refused, '401 key_missing')
      assert.match(body.error, /^API key missing: send it as "Authorization: Bearer <API_KEY>"/)
    })
  }

  it('returns 401 for a key after "Basic " that would decode to something with a colon', async () => {
    const headers = { authorization: `Basic svc_live_abc${'Ojo6'.repeat(9)}` }
    const { refused } = await service.call('GET', 'whoami', undefined, { key: null, headers })
    assert.equal(refused, '401 key_missing')
  })

  it('accepts a key in its address ranges, which must be valid', async () => {
    const key = await service.newKey({ allowedRanges: ['127.0.0.0/8', '::1'] })
    assert.equal((await service.call('GET', 'whoami', undefined, { key })).status, 200)
    await assert.rejects(service.newKey({ allowedRanges: ['10.0.0.0/33'] }), /not an IP address or CIDR range/)
  })

  it("returns a request ID in every response, the client's if it sent one", async () => {
    const { headers } = await service.call('GET', 'whoami', undefined, { headers: { 'x-request-id': 'my-id-1' } })
    assert.equal(headers.get('x-request-id'), 'my-id-1')
    assert.match(
      (await service.call('GET', 'nowhere', undefined, { key: null })).headers.get('x-request-id') ?? '',
      /^[\w-]{36}$/,
    )
  })
})
