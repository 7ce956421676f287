import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import type { BrowserLike } from '../support/browser-like.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { type Answer, type Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Entry {
  id: string
  keyId: string
  method: string
  path: string | null
  status: number
  errorCode: string | null
  errorParam: string | null
  durationMs: number
  requestId: string
}

describe('the request log', () => {
  let service: Service
  let owner: BrowserLike
  before(async () => {
    service = await openWorkspace({ worker: false })
    owner = (await aMember(service)).browser
  })

  const em = () => service.context.orm.em.fork()
  const list = (query: string, workspaceId = service.workspaceId, browser = owner) =>
    browser.ask('GET', `request-log?${query}`, { workspaceId })
  const requestIdOf = ({ headers }: Answer) => headers.get('x-request-id')!
  const entriesIn = ({ body }: Answer) => body.data as Entry[]

  /** Waits until a request is in the log. */
  const entryOf = async (answer: Answer): Promise<Entry> =>
    eventually('the request is logged', async () => entriesIn(await list(`requestId=${requestIdOf(answer)}`))[0])

  /** Creates another workspace with an owner and a key. */
  async function another() {
    const { id } = await createWorkspace(service.context.orm.em, { name: 'Another', mode: 'live' })
    const key = await service.newKey({ workspaceId: id })
    return { id, key, owner: (await aMember(service, 'owner', id)).browser }
  }

  it('has the operation, the status and the duration of each request of a key', async () => {
    const contactId = await aContact(service)
    const entry = await entryOf(await service.call('GET', `contacts/${contactId}`))
    const { id, keyId, durationMs, requestId, ...rest } = entry
    assert.deepEqual(Object.keys(rest).toSorted(), ['createdAt', 'errorCode', 'errorParam', 'method', 'path', 'status'])
    assert.partialDeepStrictEqual(rest, { method: 'GET', path: '/contacts/{id}', status: 200, errorCode: null })
    assert.ok(durationMs >= 0 && durationMs < 60_000)
    const [key] = await sql<{ id: string }>(em(), 'select id from api_keys where workspace_id = $1::uuid', [
      service.workspaceId,
    ])
    assert.deepEqual([keyId, id === requestId], [key!.id, false])
  })

  it('has the code and the field of an error', async () => {
    const invalid = await entryOf(await service.call('POST', 'contacts', { email: 'no address' }))
    assert.partialDeepStrictEqual(invalid, {
      method: 'POST',
      path: '/contacts',
      status: 400,
      errorCode: 'invalid_request',
      errorParam: '/email',
    })
    const missing = await entryOf(await service.call('GET', `lists/${newId()}`))
    assert.partialDeepStrictEqual(missing, { path: '/lists/{id}', status: 404, errorCode: 'list_not_found' })
    const people = await entryOf(await service.call('GET', 'members'))
    assert.partialDeepStrictEqual(people, { path: '/members', status: 403, errorCode: 'people_only' })
    const method = await entryOf(await service.call('PUT', 'contacts', {}))
    assert.partialDeepStrictEqual(method, { path: '/contacts', status: 405, errorCode: 'method_not_allowed' })
    const unknown = await entryOf(await service.call('GET', 'nothing'))
    assert.partialDeepStrictEqual(unknown, { path: null, status: 404, errorCode: 'path_not_found' })
  })

  it('has requests beyond the rate limit of their key', async () => {
    const key = await service.newKey({ workspaceId: service.workspaceId, rateLimit: 1 })
    await service.call('GET', 'whoami', undefined, { key })
    const limited = await entryOf(await service.call('GET', 'whoami', undefined, { key }))
    assert.partialDeepStrictEqual(limited, { path: null, status: 429, errorCode: 'rate_limited' })
  })

  it('has no requests of people, and none without a valid key', async () => {
    const byPerson = await owner.ask('GET', 'contacts', { workspaceId: service.workspaceId })
    const without = await service.call('GET', 'contacts', undefined, { key: null })
    const wrong = await service.call('GET', 'contacts', undefined, { key: 'svc_live_wrong' })
    await entryOf(await service.call('GET', 'contacts'))
    for (const answer of [byPerson, without, wrong])
      assert.deepEqual(entriesIn(await list(`requestId=${requestIdOf(answer)}`)), [])
  })

  it('has no personal data: no paths, queries, bodies or names of unknown fields', async () => {
    const email = 'ada.lovelace@example.com'
    await aContact(service, { email })
    const requests = [
      await service.call('GET', `contacts/email:${email}`),
      await service.call('GET', `contacts?email=${email}`),
      await service.call('GET', `contacts?${encodeURIComponent(email)}=1`),
      await service.call('POST', 'contacts', { email, metadata: { [email]: 'x'.repeat(70_000) } }),
      await service.call('POST', 'contacts', { [email]: 1 }),
      await service.call('GET', `${email}/contacts`),
      await service.call('DELETE', `contacts/email:${email}`),
    ]
    const entries = []
    for (const answer of requests) entries.push(await entryOf(answer))
    assert.deepEqual(
      entries.map(({ path, status, errorParam }) => [path, status, errorParam]),
      [
        ['/contacts/{id}', 200, null],
        ['/contacts', 200, null],
        ['/contacts', 400, null],
        ['/contacts', 400, '/metadata'],
        ['/contacts', 400, null],
        [null, 404, null],
        ['/contacts/{id}', 200, null],
      ],
    )
    assert.deepEqual(await sql(em(), `select from request_log row where row::text ~* 'lovelace|@|%40'`), [])
  })

  it('is read page by page, newest first, and only by owners of its workspace', async () => {
    const other = await another()
    const answers: Answer[] = []
    for (let n = 0; n < 5; n += 1) {
      const answer = await service.call('GET', 'whoami', undefined, { key: other.key })
      await eventually(
        'the request is logged',
        async () => entriesIn(await list(`requestId=${requestIdOf(answer)}`, other.id, other.owner))[0],
      )
      answers.push(answer)
    }
    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Answer = await list(`limit=2${cursor && `&cursor=${cursor}`}`, other.id, other.owner)
      pages.push(entriesIn(page).map(({ requestId }) => requestId))
      cursor = page.body.pagination.nextCursor as string | null
    }
    const [first, second, third, fourth, fifth] = answers.map(requestIdOf)
    assert.deepEqual(pages, [[fifth, fourth], [third, second], [first]])
    assert.deepEqual(entriesIn(await list(`requestId=${first}`)), [])
    const editor = (await aMember(service, 'editor')).browser
    assert.equal((await list('', service.workspaceId, editor)).refused, '403 role_missing')
    assert.equal((await list('', other.id)).refused, '403 not_a_member')
  })

  it('is filtered by key, class of status and request ID', async () => {
    const other = await another()
    const ask = (path: string, key: string, id: string) =>
      service.call('GET', path, undefined, { key, headers: { 'x-request-id': id } })
    const second = await service.newKey({ workspaceId: other.id, name: 'Second' })
    await ask('whoami', other.key, 'first-ok')
    await ask('nothing', other.key, 'first-missing')
    await ask('whoami', second, 'second-ok')
    await ask('lists?limit=0', second, 'second-invalid')
    const all = () => list('', other.id, other.owner)
    await eventually('all are logged', async () => entriesIn(await all()).length === 4 || undefined)
    const keyIdOf = async (id: string) => entriesIn(await list(`requestId=${id}`, other.id, other.owner))[0]!.keyId
    const keyId = await keyIdOf('second-ok')
    const found = async (query: string) =>
      entriesIn(await list(query, other.id, other.owner))
        .map(({ requestId }) => requestId)
        .toSorted()
    assert.deepEqual(await found(`keyId=${keyId}`), ['second-invalid', 'second-ok'])
    assert.deepEqual(await found(`keyId=${keyId}&status=4xx`), ['second-invalid'])
    assert.deepEqual(await found('status=4xx'), ['first-missing', 'second-invalid'])
    assert.deepEqual(await found('status=2xx'), ['first-ok', 'second-ok'])
    assert.deepEqual(await found('status=5xx'), [])
    assert.deepEqual(await found('requestId=first-ok'), ['first-ok'])
    assert.deepEqual(await found(`requestId=first-ok&keyId=${keyId}`), [])
    assert.deepEqual(await found('keyId=unknown'), [])
    assert.equal((await list('status=3xx')).refused, '400 invalid_request')
  })

  it('counts the requests of a key in the last 24 hours', async () => {
    const other = await another()
    for (let n = 0; n < 3; n += 1) await service.call('GET', 'whoami', undefined, { key: other.key })
    const keyId = await eventually('all are logged', async () => {
      const entries = entriesIn(await list('', other.id, other.owner))
      return entries.length === 3 ? entries[0]!.keyId : undefined
    })
    const count = async (id: string, workspaceId = other.id, browser = other.owner) =>
      (await browser.ask('GET', `request-log/count?keyId=${id}`, { workspaceId })).body.data as object
    assert.deepEqual(await count(keyId), { count: 3 })
    assert.deepEqual(await count(keyId, service.workspaceId, owner), { count: 0 })
    assert.deepEqual(await count(newId()), { count: 0 })
    assert.deepEqual(await count('unknown'), { count: 0 })
    const age = `update request_log set created_at = created_at - interval '25 hours'
      where id = (select min(id::text)::uuid from request_log where api_key_id = $1::uuid)`
    await sql(em(), age, [keyId])
    assert.deepEqual(await count(keyId), { count: 2 })
  })
})
