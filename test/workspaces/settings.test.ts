import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { type BrowserLike } from '../support/browser-like.ts'
import { aMember } from '../support/members.ts'
import { startService, type Service } from '../support/service.ts'

describe('workspace settings', () => {
  let service: Service
  let owner: BrowserLike
  let workspaceId: string
  before(async () => {
    service = await startService({ worker: false })
    workspaceId = service.workspaceId
    owner = (await aMember(service)).browser
  })
  after(() => service.stop())

  const em = () => service.context.orm.em.fork()
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
    const other = await ask('POST', `api-keys/${id}/rotate`, { overlapHours: 0 })
    assert.equal((await withKey(other.body.data.key as string)).status, 200)
    assert.equal((await withKey(key)).refused, '401 key_expired')
    assert.equal((await ask('DELETE', `api-keys/${other.body.data.id}`)).status, 200)
    assert.equal((await withKey(other.body.data.key as string)).refused, '401 key_unknown')
    assert.equal((await ask('DELETE', `api-keys/${id}x`)).refused, '404 api_key_not_found')
  })

  it('creates a workspace with its creator as the only member', async () => {
    const { browser, email } = await aMember(service, 'owner')
    const make = (body: object) => browser.ask('POST', 'workspaces', { workspaceId, body })
    const made = await make({ name: 'Orchard, to try', mode: 'test' })
    assert.equal(made.status, 201)
    const { id, ...rest } = made.body.data as { id: string }
    assert.deepEqual(rest, { name: 'Orchard, to try', mode: 'test', role: 'owner' })
    const members = await browser.ask('GET', 'members', { workspaceId: id })
    assert.deepEqual(
      members.body.data.map((member: { email: string }) => member.email),
      [email],
    )
    assert.equal((await owner.ask('GET', 'members', { workspaceId: id })).refused, '403 not_a_member')
    const fromTest = await browser.ask('POST', 'workspaces', { workspaceId: id, body: { name: 'Live', mode: 'live' } })
    assert.equal(fromTest.refused, '403 live_from_live')
    const audit = await browser.ask('GET', 'audit', { workspaceId: id })
    assert.equal((audit.body.data as { operation: string }[])[0]?.operation, 'createWorkspace')
    assert.equal((await make({ name: 'Orchard', mode: 'neither' })).status, 400)
    const { browser: editor } = await aMember(service, 'editor')
    assert.equal(
      (await editor.ask('POST', 'workspaces', { workspaceId, body: { name: 'Mine', mode: 'live' } })).status,
      403,
    )
    await sql(
      em(),
      `insert into workspaces (id, name, mode) select gen_random_uuid(), 'many', 'test' from generate_series(1, 100)`,
    )
    assert.equal((await make({ name: 'Too many', mode: 'test' })).refused, '409 too_many_workspaces')
    await sql(em(), `delete from workspaces where name = 'many'`)
  })

  it('returns 403 to editors and keys, and 404 for keys of other workspaces', async () => {
    const { browser: editor } = await aMember(service, 'editor')
    const body = { name: 'x', scopes: ['lists:read'] }
    assert.equal((await editor.ask('POST', 'api-keys', { workspaceId, body })).refused, '403 role_missing')
    assert.equal((await service.call('GET', 'api-keys')).refused, '403 people_only')
    const key = await service.newKey({ mode: 'test' })
    const [row] = await sql<{ id: string }>(em(), 'select id from api_keys where workspace_id <> $1::uuid', [
      workspaceId,
    ])
    if (row) assert.equal((await ask('DELETE', `api-keys/${row.id}`)).refused, '404 api_key_not_found')
    assert.equal((await withKey(key)).status, 200)
  })

  it('changes the days for which custom events are stored', async () => {
    const read = async () => (await service.call('GET', 'workspace')).body.data as Record<string, unknown>
    const { name, eventRetentionDays } = await read()
    assert.equal(eventRetentionDays, 396)
    const changed = await ask('PATCH', 'workspace', { eventRetentionDays: 3_650 })
    assert.partialDeepStrictEqual(changed.body.data, { name, eventRetentionDays: 3_650 })
    for (const days of [0, 3_651, 1.5, null, 'x'])
      assert.equal((await ask('PATCH', 'workspace', { eventRetentionDays: days })).refused, '400 invalid_request')
    assert.equal((await ask('PATCH', 'workspace', {})).refused, '400 nothing_to_update')
    assert.partialDeepStrictEqual(await read(), { name, eventRetentionDays: 3_650 })
    await ask('PATCH', 'workspace', { eventRetentionDays: 396 })
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
    assert.ok(next.body.data.length > 0)
    const byPeople = await ask('GET', 'audit?actor=person')
    assert.ok(byPeople.body.data.every(({ actor }: { actor: string }) => actor === 'person'))
    // A failed request writes none.
    const before = (await ask('GET', 'audit')).body.data.length as number
    await service.call('POST', 'contacts', { email: 'nobody' })
    assert.equal((await ask('GET', 'audit')).body.data.length, before)
  })
})
