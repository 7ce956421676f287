import assert from 'node:assert/strict'
import { storeResponse, takeIdempotencyKey } from '../../src/http/idempotency-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { aContact, anAutomation } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const OF_DIED = `where key = 'died' and workspace_id = $1::uuid`

describe('an Idempotency-Key', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  let keys = 0
  const aKey = () => `key-${(keys += 1)}`
  const post = (key: string, path: string, body: unknown, method = 'POST') =>
    service.call(method, path, body, { headers: { 'idempotency-key': key } })
  const em = () => service.context.orm.em.fork()

  it('replays the 404 for an automation of another workspace or an unknown ID without waiting', async () => {
    const theirs = await anAutomation(service)
    const key = await service.newKey()
    for (const id of [theirs, 'nothing']) {
      const ask = () =>
        service.call(
          'PATCH',
          `automations/${id}`,
          { status: 'PAUSED' },
          { key, headers: { 'idempotency-key': `not-${id}` } },
        )
      const [first, again] = [await ask(), await ask()]
      assert.equal(first.refused, '404 automation_not_found')
      assert.deepEqual([again.refused, again.headers.get('idempotent-replayed')], [first.refused, 'true'])
    }
  })

  it('replays the first response without repeating the request', async () => {
    const key = aKey()
    const first = await post(key, 'contacts', { email: 'once@example.com', firstName: 'One' })
    assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [201, null])
    await service.call('POST', 'contacts', { email: 'once@example.com', firstName: 'Two' })
    const again = await post(key, 'contacts', { email: 'once@example.com', firstName: 'One' })
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
    assert.deepEqual(again.body, first.body)
    const { body } = await service.call('GET', `contacts/${first.body.data.id}`)
    assert.equal(body.data.firstName, 'Two')
  })

  it('rejects the key for an API key that may not resolve the email in the body, regardless of its encoding', async () => {
    const key = aKey()
    await service.call('POST', 'contacts', { email: 'secret@example.com' })
    const automationId = await anAutomation(service)
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' }
    const raw = '{"contactId":"\\u0065mail:secret@example.com"}'
    const path = `automations/${automationId}/enroll`
    assert.equal((await service.call('POST', path, undefined, { headers, raw })).status, 202)
    const nameless = await service.newKey({ workspaceId: service.workspaceId, scopes: ['automations:write'] })
    const response = await service.call('POST', path, undefined, { headers, raw, key: nameless })
    assert.equal(response.refused, '422 idempotency_key_reused')
  })

  it('replays error responses', async () => {
    const key = aKey()
    const automationId = newId()
    const first = await post(key, `automations/${automationId}/enroll`, { contactId: 'x' })
    const again = await post(key, `automations/${automationId}/enroll`, { contactId: 'x' })
    assert.deepEqual([again.refused, again.body], ['404 automation_not_active', first.body])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  it('returns 410 instead of creating an erased contact again', async () => {
    for (const [email, again] of [
      ['gone@example.com', {}],
      ['went@example.com', { firstName: 'Another request' }],
    ] as const) {
      const key = aKey()
      const first = await post(key, 'contacts', { email })
      await post(`${key}-tags`, `contacts/${first.body.data.id}/tags`, { tags: ['vip'] })
      assert.equal((await service.call('DELETE', `contacts/${first.body.data.id}`)).status, 200)
      const { refused, body } = await post(key, 'contacts', { email, ...again })
      assert.equal(refused, '410 contact_erased')
      assert.match(body.error, /its contact has since been erased\. It is not repeated/)
      const tagged = await post(`${key}-tags`, `contacts/${first.body.data.id}/tags`, { tags: ['vip'] })
      assert.equal(tagged.refused, '410 contact_erased')
      assert.equal((await service.call('GET', `contacts?email=${email}`)).body.pagination.total, 0)
      assert.equal((await post(aKey(), 'contacts', { email })).status, 201)
    }
  })

  it('returns 410 for an enrollment or event of an erased contact', async () => {
    const contactId = await aContact(service)
    const requests = [
      [`automations/${await anAutomation(service)}/enroll`, { contactId }],
      [`contacts/${contactId}/events`, { name: 'erased since' }],
    ] as const
    const keys = requests.map(() => aKey())
    for (const [n, [path, body]] of requests.entries()) assert.equal((await post(keys[n]!, path, body)).status, 202)
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    for (const [n, [path, body]] of requests.entries()) {
      const again = await post(keys[n]!, path, body)
      assert.equal(again.refused, '410 contact_erased')
      assert.match(again.body.error, /its contact has since been erased/)
    }
  })

  it('deletes an idempotency key that contains the email with the contact', async () => {
    const key = 'signup-Named@Example.com'
    const first = await post(key, 'contacts', { email: 'named@example.com' })
    await service.call('DELETE', `contacts/${first.body.data.id}`)
    assert.deepEqual(await sql(em(), `select from idempotency_keys where key = $1`, [key]), [])
  })

  it('stores no response about a contact who was erased in the meantime', async () => {
    const key = aKey()
    const contactId = await aContact(service)
    await service.call('DELETE', `contacts/${contactId}`)
    const request = { id: newId(), fingerprint: Buffer.from('a') }
    const taken = await takeIdempotencyKey(em(), service.workspaceId, key, request)
    assert.ok(taken.kind === 'mine')
    const answer = { status: 200, headers: {}, body: { email: 'x@example.com' }, contactId }
    const attempt = { ...taken, workspaceId: service.workspaceId, key }
    assert.equal(await storeResponse(em(), attempt, answer, { isFinal: true }), true)
    assert.deepEqual(await takeIdempotencyKey(em(), service.workspaceId, key, request), { kind: 'erased' })
    const [row] = await sql(
      em(),
      'select body, fingerprint, contact_id from idempotency_keys where key = $1 and workspace_id = $2::uuid',
      [key, service.workspaceId],
    )
    assert.deepEqual(row, { body: null, fingerprint: null, contact_id: null })
  })

  it('returns 422 with another body, path or method', async () => {
    const key = aKey()
    await post(key, 'lists', { name: 'One' })
    for (const [method, path, body] of [
      ['POST', 'lists', { name: 'Two' }],
      ['POST', 'contacts', { name: 'One' }],
    ] as const) {
      const { refused, body: answer } = await post(key, path, body, method)
      assert.equal(refused, '422 idempotency_key_reused')
      assert.match(answer.error, /used with another request/)
    }
    const { body } = await service.call('GET', 'lists?limit=100')
    assert.deepEqual(
      body.data
        .filter(({ name }: { name: string }) => ['One', 'Two'].includes(name))
        .map(({ name }: { name: string }) => name),
      ['One'],
    )
  })

  it('separates the keys of workspaces', async () => {
    const key = aKey()
    await post(key, 'lists', { name: 'Mine' })
    const options = { key: await service.newKey(), headers: { 'idempotency-key': key } }
    const { status, headers } = await service.call('POST', 'lists', { name: 'Theirs' }, options)
    assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null])
  })

  it('lets one of many concurrent requests through', async () => {
    const key = aKey()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(key, 'lists', { name: 'Race' })))
    const made = answers.filter(({ status }) => status === 201)
    const ids = new Set(made.map(({ body }) => (body as { data: { id: string } }).data.id))
    assert.equal(ids.size, 1)
    for (const { refused, headers } of answers.filter((answer) => answer.status !== 201)) {
      assert.deepEqual([refused, headers.get('retry-after')], ['409 idempotency_key_in_progress', '1'])
    }
    assert.equal((await post(key, 'lists', { name: 'Race' })).headers.get('idempotent-replayed'), 'true')
  })

  it('takes over after the first attempt died, and forgets a key after 24 hours', async () => {
    const request = { id: newId(), fingerprint: Buffer.from('a') }
    const take = (fields: object = {}) =>
      takeIdempotencyKey(em(), service.workspaceId, 'died', { ...request, id: newId(), ...fields })
    assert.deepEqual(await take({ id: request.id }), { kind: 'mine', id: request.id, attempt: 1, retried: false })
    assert.deepEqual(await take(), { kind: 'in-flight', sameRequest: true })
    await sql(em(), `update idempotency_keys set lease_until = now() ${OF_DIED}`, [service.workspaceId])
    assert.deepEqual(await take({ fingerprint: Buffer.from('b') }), { kind: 'in-flight', sameRequest: false })
    assert.deepEqual(await take(), { kind: 'mine', id: request.id, attempt: 2, retried: true })
    await sql(em(), `update idempotency_keys set created_at = now() - interval '25 hours' ${OF_DIED}`, [
      service.workspaceId,
    ])
    const later = await take({ fingerprint: Buffer.from('b') })
    assert.ok(later.kind === 'mine' && !later.retried && later.id !== request.id)
    // The key is now that of the new request, for another 24 hours.
    assert.deepEqual(await take({ fingerprint: Buffer.from('b') }), { kind: 'in-flight', sameRequest: true })
    assert.deepEqual(await take(), { kind: 'in-flight', sameRequest: false })
  })

  for (const bad of ['', 'with space', 'ä', 'x'.repeat(256)]) {
    it(`rejects the key ${JSON.stringify(bad.slice(0, 12))}`, async () => {
      const headers = { 'idempotency-key': Buffer.from(bad).toString('latin1') }
      const { refused, body } = await service.call('POST', 'lists', { name: 'x' }, { headers })
      assert.equal(refused, '400 invalid_idempotency_key')
      assert.match(body.error, /^Idempotency-Key must be/)
    })
  }
})
