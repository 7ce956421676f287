import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { listApiKeys } from '../../src/workspaces/create-api-key.ts'
import { type BrowserLike } from '../support/browser-like.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('workspace settings', () => {
  let service: Service
  let owner: BrowserLike
  let workspaceId: string
  before(async () => {
    service = await openWorkspace({ worker: false })
    workspaceId = service.workspaceId
    owner = (await aMember(service)).browser
  })

  const ask = (method: string, path: string, body?: unknown) => owner.ask(method, path, { workspaceId, body })
  const withKey = (key: string) => service.call('GET', 'lists', undefined, { key })

  it('creates a key that is shown once, works immediately, and is rejected after it is deleted', async () => {
    const made = await ask('POST', 'api-keys', { name: 'Checkout', scopes: ['lists:read'], rateLimit: 7 })
    assert.equal(made.status, 201)
    const { id, key } = made.body.data as { id: string; key: string }
    const answer = await withKey(key)
    assert.deepEqual([answer.status, answer.headers.get('x-ratelimit-limit')], [200, '7'])
    const listed = (await ask('GET', 'api-keys')).body.data.find((one: { id: string }) => one.id === id)
    assert.partialDeepStrictEqual(listed, { name: 'Checkout', requests: 1, rateLimit: 7, allow: [], expiresAt: null })
    assert.ok(!JSON.stringify(listed).includes(key))
    const changed = await ask('PATCH', `api-keys/${id}`, { rateLimit: 9 })
    assert.deepEqual([changed.status, changed.body.data.rateLimit, changed.body.data.name], [200, 9, 'Checkout'])
    assert.equal((await ask('PATCH', `api-keys/${id}`, { name: 'Shop' })).body.data.rateLimit, 9)
    assert.equal((await ask('PATCH', `api-keys/${id}`, {})).refused, '400 nothing_to_update')
    assert.equal((await ask('PATCH', `api-keys/${id}`, { scopes: ['lists:write'] })).refused, '400 invalid_request')
    assert.equal((await ask('PATCH', `api-keys/${newId()}`, { rateLimit: 9 })).refused, '404 api_key_not_found')
    const other = await ask('POST', `api-keys/${id}/rotate`, { overlapHours: 0 })
    assert.equal((await withKey(other.body.data.key as string)).status, 200)
    assert.equal((await withKey(key)).refused, '401 key_expired')
    assert.equal((await ask('DELETE', `api-keys/${other.body.data.id}`)).status, 200)
    assert.equal((await withKey(other.body.data.key as string)).refused, '401 key_unknown')
    assert.equal((await ask('DELETE', `api-keys/${id}x`)).refused, '404 api_key_not_found')
  })

  it('returns 404 for keys of other workspaces', async () => {
    const key = await service.newKey({ mode: 'test' })
    const { id } = (await listApiKeys(service.context.orm.em)).find(({ prefix }) => key.startsWith(prefix))!
    assert.equal((await ask('DELETE', `api-keys/${id}`)).refused, '404 api_key_not_found')
    assert.equal((await withKey(key)).status, 200)
  })

  for (const [setting, what, byDefault] of [
    ['eventRetentionDays', 'custom events are', 396],
    ['contentRetentionDays', 'the content of sent emails is', 30],
  ] as const)
    it(`changes the days for which ${what} stored`, async () => {
      const read = async () => (await service.call('GET', 'workspace')).body.data as Record<string, unknown>
      const { name, [setting]: before } = await read()
      assert.equal(before, byDefault)
      const changed = await ask('PATCH', 'workspace', { [setting]: 3_650 })
      assert.partialDeepStrictEqual(changed.body.data, { name, [setting]: 3_650 })
      for (const days of [0, 3_651, 1.5, null, 'x'])
        assert.equal((await ask('PATCH', 'workspace', { [setting]: days })).refused, '400 invalid_request')
      assert.equal((await ask('PATCH', 'workspace', {})).refused, '400 nothing_to_update')
      assert.partialDeepStrictEqual(await read(), { name, [setting]: 3_650 })
      await ask('PATCH', 'workspace', { [setting]: byDefault })
    })

  it('keeps the history by default, or for at least 30 days', async () => {
    const read = async () => (await service.call('GET', 'workspace')).body.data.historyRetentionDays as number | null
    assert.equal(await read(), null)
    for (const days of [29, 3_651, 30.5, 'x'])
      assert.equal((await ask('PATCH', 'workspace', { historyRetentionDays: days })).refused, '400 invalid_request')
    for (const days of [30, null]) {
      assert.equal((await ask('PATCH', 'workspace', { historyRetentionDays: days })).status, 200)
      assert.equal(await read(), days)
    }
  })

  it('changes the time zone, which must exist', async () => {
    assert.equal((await service.call('GET', 'workspace')).body.data.timezone, 'UTC')
    const changed = await ask('PATCH', 'workspace', { timezone: 'Europe/Berlin' })
    assert.equal(changed.body.data.timezone, 'Europe/Berlin')
    for (const timezone of ['Mars/Olympus', 'IST', '', '+02:00', 7, null])
      assert.equal((await ask('PATCH', 'workspace', { timezone })).refused, '400 invalid_request')
    assert.equal((await service.call('GET', 'workspace')).body.data.timezone, 'Europe/Berlin')
    await ask('PATCH', 'workspace', { timezone: 'UTC' })
  })

  it('writes audit entries that name the actor, in the same transaction', async () => {
    await ask('PATCH', 'workspace', { name: 'Before' })
    const made = await ask('POST', 'api-keys', { name: 'Told', scopes: ['lists:write'] })
    const list = await service.call('POST', 'lists', { name: 'By a key' }, { key: made.body.data.key as string })
    await ask('PATCH', 'workspace', { name: 'Orchard' })
    const refused = await ask('PATCH', 'workspace', { name: '' })
    assert.equal(refused.refused, '400 invalid_request')
    const { body } = await ask('GET', 'audit?limit=3')
    assert.deepEqual(
      body.data.map(({ actor, actorName, operation, targetId }: Record<string, unknown>) => [
        actor,
        actorName,
        operation,
        targetId,
      ]),
      [
        ['person', body.data[0].actorName, 'updateWorkspace', workspaceId],
        ['key', 'Told', 'createList', list.body.data.id],
        ['person', body.data[0].actorName, 'createApiKey', made.body.data.id],
      ],
    )
    const next = await ask('GET', `audit?limit=3&cursor=${body.pagination.nextCursor}`)
    assert.partialDeepStrictEqual(next.body.data[0], { operation: 'updateWorkspace' })
    const byPeople = await ask('GET', 'audit?actor=person')
    assert.ok(byPeople.body.data.every(({ actor }: { actor: string }) => actor === 'person'))
    // A failed request writes none.
    const before = (await ask('GET', 'audit')).body.data.length as number
    await service.call('POST', 'contacts', { email: 'nobody' })
    assert.equal((await ask('GET', 'audit')).body.data.length, before)
  })
})
