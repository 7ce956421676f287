import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { document, operations } from '../../src/runtime/operations.ts'
import { newId } from '../../src/platform/ids.ts'
import { SCOPES, type Scope } from '../../src/http/scopes.ts'
import { createApiKey, deleteApiKey } from '../../src/workspaces/create-api-key.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import { startService, type Answer, type Service } from '../support/service.ts'

interface DescribedOperation {
  operationId: string
  'x-required-scope': Scope | null
  'x-alternative-scope'?: Scope
  parameters: { name: string; in: string }[]
  requestBody?: { content: { 'application/json': { example: object } } }
  responses: Record<
    string,
    { $ref?: string; content: { 'application/json': { examples: Record<string, { value: object }> } } }
  >
}
const { paths, components } = document as unknown as {
  paths: Record<string, Record<string, DescribedOperation>>
  components: { responses: DescribedOperation['responses'] }
}
const all = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
)

/** The bodies that the document describes for a status of an operation. */
function describedBodies(described: DescribedOperation, status: number): object[] {
  const given = described.responses[String(status)]
  const response = given?.$ref ? components.responses[given.$ref.split('/').at(-1)!] : given
  assert.ok(response, `${described.operationId} has no ${status}`)
  return Object.values(response.content['application/json'].examples).map(({ value }) => value)
}

describe('the OpenAPI document', () => {
  let service: Service
  let others: Record<string, string>
  let addresses = 0

  before(async () => {
    service = await startService({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const otherKey = await service.newKey()
    const other = { ...service, call: ((m, p, b) => service.call(m, p, b, { key: otherKey })) as Service['call'] }
    const { workspace } = (await other.call('GET', 'whoami')).body.data
    const { em } = service.context.orm
    const condition = { field: 'email', is: 'present' }
    const contact = await aContact(other, { tags: ['vip'] })
    others = {
      contacts: contact,
      contactId: contact,
      lists: await aList(other),
      automations: await anAutomation(other),
      segments: (await createSegment(em, { workspaceId: workspace.id, name: 'Theirs', condition })).id,
    }
  })
  after(() => service.stop())

  const mine = (fields: object = {}) =>
    createApiKey(service.context.orm.em, {
      workspaceId: service.workspaceId,
      name: 'k',
      scopes: SCOPES,
      rateLimit: 1_000_000,
      ...fields,
    })

  /** Calls an operation with one ID for each parameter, from its own address so that no rate limit applies. */
  function ask(
    { path, method, described }: (typeof all)[number],
    key: string | null,
    id?: string,
    other = '',
  ): Promise<Answer> {
    const [collection = ''] = path.slice(1).split('/')
    const filled = path
      .replace('{id}', id === undefined ? newId() : (others[collection] ?? id))
      .replace('{id}', id ?? newId())
      .replace('{contactId}', other || newId())
      .replace('{tag}', 'vip')
    const body = described.requestBody?.content['application/json'].example
    addresses += 1
    return service.call(method, filled.slice(1), body, {
      key,
      headers: { 'x-forwarded-for': `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` },
    })
  }

  it('returns the document for any valid key', async () => {
    const { key } = await mine({ scopes: [] })
    const { status, body } = await service.call('GET', 'openapi.json', undefined, { key })
    assert.equal(status, 200)
    assert.deepEqual(body, JSON.parse(JSON.stringify(document)))
  })

  it('has each operation with its scope, parameters, statuses and examples', () => {
    assert.deepEqual(
      all.map(({ path, method }) => `${method} ${path}`).toSorted(),
      operations.map(({ path, method }) => `${method} ${path}`).toSorted(),
    )
    for (const operation of operations) {
      const described = paths[operation.path]![operation.method.toLowerCase()]!
      assert.equal(described['x-required-scope'], operation.scope ?? null)
      assert.equal(described['x-alternative-scope'], operation.orScope)
      const names = described.parameters.map((parameter) => parameter.name)
      for (const name of operation.path.match(/(?<=\{)\w+/g) ?? []) assert.ok(names.includes(name))
      for (const name of Object.keys(operation.query?.fields ?? {})) assert.ok(names.includes(name))
      const known = Object.keys(operation.body?.fields ?? {})
      const schema = JSON.stringify(described.requestBody ?? {}) + JSON.stringify(document)
      for (const field of known) assert.ok(schema.includes(`"${field}"`), `${operation.id}: ${field}`)
      const statuses = [
        ...Object.keys(operation.responses),
        ...Object.keys(operation.errors ?? {}),
        ...(operation.open === 'anybody' ? [] : ['401']),
        '429',
        '500',
      ]
      for (const status of statuses) assert.ok(status in described.responses, `${operation.id}: ${status}`)
      for (const [status, messages] of Object.entries(operation.errors ?? {})) {
        const bodies = describedBodies(described, Number(status)).map((body) => JSON.stringify(body))
        for (const one of messages) {
          const error = typeof one === 'string' ? one : one.message
          assert.ok(bodies.includes(JSON.stringify({ error })))
        }
      }
      const { scope } = operation
      const forbidden = operation.open && operation.method === 'GET' ? [] : describedBodies(described, 403)
      const missing = JSON.stringify({ error: `Missing required scope: ${scope}` })
      assert.equal(
        forbidden.some((body) => JSON.stringify(body) === missing),
        typeof scope === 'string',
      )
    }
  })

  const forKeys = new Set(operations.flatMap(({ id, scope }) => (scope === undefined ? [] : [id])))
  for (const entry of all) {
    const { path, method, described } = entry
    if (!forKeys.has(described.operationId)) continue
    const scope = described['x-required-scope']
    const orScope = described['x-alternative-scope']

    describe(`${method} ${path}`, () => {
      const refused = (answer: Answer, status: number, error: string) => {
        assert.deepEqual([answer.status, answer.body], [status, { error }])
        assert.ok(
          describedBodies(described, status).some((body) => JSON.stringify(body) === JSON.stringify({ error })),
          `the document lacks "${error}"`,
        )
      }

      it('returns the documented 401 without a key', async () =>
        refused(
          await ask(entry, null),
          401,
          'API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"',
        ))
      it('returns the documented 401 for a malformed key', async () =>
        refused(await ask(entry, `svc_live_${'a'.repeat(38)}`), 401, 'Invalid API key: it is not a complete key'))
      it('returns the documented 401 for a revoked key', async () => {
        const { key, apiKey } = await mine()
        await deleteApiKey(service.context.orm.em, apiKey.id)
        refused(await ask(entry, key), 401, 'API key not found or has been revoked')
      })
      it('returns the documented 401 for a key outside its address ranges', async () => {
        const { key } = await mine({ allowedRanges: ['203.0.113.0/24', '2001:db8::/32'] })
        refused(await ask(entry, key), 401, 'API key not allowed from this IP address')
      })
      it('returns 429 for a key over its limit', async () => {
        const { key } = await mine({ rateLimit: 1 })
        await ask(entry, key)
        const answer = await ask(entry, key)
        const seconds = answer.headers.get('retry-after')
        assert.deepEqual(
          [answer.refused, answer.body],
          ['429 rate_limited', { error: `Rate limit exceeded. Retry after ${seconds} seconds.` }],
        )
      })
      if (scope !== null) {
        it('returns the documented 403 for a key without the scope', async () => {
          const { key } = await mine({ scopes: SCOPES.filter((other) => other !== scope && other !== orScope) })
          refused(await ask(entry, key), 403, `Missing required scope: ${scope}`)
          // Previews show a contact, so they also need the scope to read contacts.
          const alone: Scope[] = /^\/templates.*\/preview$/.test(path) ? [scope, 'contacts:read'] : [scope]
          // The example names an automation and a campaign.
          if (path === '/messages/retry') alone.push(orScope!)
          const { key: enough } = await mine({ scopes: alone })
          assert.notEqual((await ask(entry, enough)).status, 403)
          if (orScope === undefined || alone.includes(orScope)) return
          const { key: other } = await mine({ scopes: [orScope] })
          assert.notEqual((await ask(entry, other)).status, 403)
        })
      }
      if (path.includes('{')) {
        it('returns the same 404 for an ID of another workspace as for an unknown one', async () => {
          const collection = path.slice(1).split('/')[0]!
          const missing = await counting(() => ask(entry, service.key))
          const foreign = await counting(() => ask(entry, service.key, others[collection], others['contactId']))
          assert.equal(foreign.answer.status, 404)
          assert.deepEqual([foreign.answer.refused, foreign.answer.body], [missing.answer.refused, missing.answer.body])
          assert.deepEqual([...foreign.answer.headers.keys()], [...missing.answer.headers.keys()])
          // Both run the same statements, so the response time also reveals nothing.
          assert.deepEqual(foreign.statements, missing.statements)
          const { error } = foreign.answer.body as { error: string }
          assert.ok(describedBodies(described, 404).some((body) => JSON.stringify(body) === JSON.stringify({ error })))
        })
      }
    })
  }

  for (const [what, method, path, body, error] of [
    ['a contact to enroll', 'POST', 'automations/mine/enroll', { contactId: 'contactId' }, 'Contact not found'],
    ['a contact for a list', 'POST', 'lists/mine/contacts', { contactId: 'contactId' }, 'Contact not found'],
    ['a list to join', 'POST', 'contacts', { email: 'a@example.com', listId: 'lists' }, 'List not found in workspace'],
    ['a list to search', 'GET', 'contacts?listId=lists', undefined, 'List not found in workspace'],
    ['a segment to search', 'GET', 'contacts?segmentId=segments', undefined, 'Segment not found'],
  ] as const) {
    it(`returns the same 404 for another workspace's ${what.replace(/^an? /, '')} in a body or query as for an unknown one`, async () => {
      const ids = { lists: await aList(service), automations: await anAutomation(service) }
      const withIds = (id: (name: string) => string) => {
        const own = path.replace(/(lists|automations)\/mine/, (_, name: keyof typeof ids) => `${name}/${ids[name]}`)
        const full = own.replace(/=(\w+)$/, (_, name: string) => `=${id(name)}`)
        const filled =
          body &&
          JSON.parse(JSON.stringify(body), (_, value: unknown) =>
            typeof value === 'string' && value in others ? id(value) : value,
          )
        return service.call(method, full, filled)
      }
      const missing = await counting(() => withIds(() => newId()))
      const foreign = await counting(() => withIds((name) => others[name]!))
      assert.deepEqual([foreign.answer.status, foreign.answer.body], [404, { error }])
      assert.deepEqual([missing.answer.refused, missing.answer.body], [foreign.answer.refused, foreign.answer.body])
      assert.deepEqual(foreign.statements, missing.statements)
    })
  }

  for (const { path, method, described } of all) {
    if (!described.parameters.some(({ name }) => name === 'page')) continue
    it(`runs at most three statements, or four for activity, in ${method} ${path}`, async () => {
      const { em } = service.context.orm
      const condition = { field: 'email', is: 'present' }
      const listId = await aList(service)
      const ids: Record<string, string> = {
        contacts: await aContact(service, { tags: ['counted'], listId }),
        lists: listId,
        segments: (await createSegment(em, { workspaceId: service.workspaceId, name: 'Mine', condition })).id,
      }
      ids['templates'] = (await service.call('POST', 'templates', { name: 'T', subject: 'x', text: 'x' })).body.data.id
      ids['imports'] = (await service.call('POST', 'imports', { name: 'x.csv' })).body.data.id
      const conditions = { tag: 'counted', listId: ids['lists']!, segmentId: ids['segments']! }
      const search = new URLSearchParams(
        Object.entries(conditions).filter(([known]) => described.parameters.some(({ name }) => name === known)),
      )
      const target = `${path.slice(1).replace('{id}', ids[path.split('/')[1]!] ?? '')}?${search.toString()}`
      const { answer, statements } = await counting(() => service.call(method, target))
      assert.equal(answer.status, 200)
      // One statement authenticates and counts the request, one counts the rows, one reads the page. Activity needs a fourth to
      // limit contents.
      assert.ok(statements.length <= (path.endsWith('/activity') ? 4 : 3), statements.join('\n'))
    })
  }

  it('shows the document at /docs without resources from other hosts', async () => {
    const origin = `http://127.0.0.1:${service.port}`
    const page = await fetch(`${origin}/docs`)
    const html = await page.text()
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/)
    assert.doesNotMatch(html.replace(/<script id="configuration"[^]*?<\/script>/, ''), /https?:/)
    assert.match(html, /curl -X POST/)
    assert.match(html, /createDriplineClient/)
    for (const [, src] of html.matchAll(/<script src="([^"]+)"/g)) {
      const script = await fetch(origin + src)
      assert.equal(script.status, 200)
      assert.match(script.headers.get('content-type') ?? '', /javascript/)
      assert.ok((await script.text()).length > 50)
    }
  })

  it('shows samples with the requested server at /docs', async () => {
    const origin = `http://127.0.0.1:${service.port}`
    const html = await (await fetch(`${origin}/docs`)).text()
    const [, textContent = ''] = /<script id="configuration"[^>]*>([^]*?)<\/script>/.exec(html) ?? []
    let shown = ''
    runInNewContext(await (await fetch(`${origin}/docs/start.js`)).text(), {
      Scalar: { createApiReference: (_: string, configuration: object) => (shown = JSON.stringify(configuration)) },
      document: { getElementById: () => ({ textContent }) },
      location: { origin },
    })
    assert.doesNotMatch(shown, /localhost:3000/)
    assert.ok(shown.includes(`curl -X POST ${origin}/api/v1/`) || shown.includes(`${origin}/api/v1/contacts`))
  })
})

/** Runs a request, and returns the statements that it sent to Postgres. */
async function counting(run: () => Promise<Answer>): Promise<{ answer: Answer; statements: string[] }> {
  const statements: string[] = []
  const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown }
  const original = Object.getOwnPropertyDescriptor(prototype, 'query')!
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [given] = args as [string | { text: string }]
    statements.push((typeof given === 'string' ? given : given.text).replace(/'[^']*'/g, '?'))
    return (original.value as typeof prototype.query).apply(this, args)
  }
  try {
    const answer = await run()
    assert.ok(statements.length > 0, 'no statement was sent')
    return { answer, statements: statements.toSorted() }
  } finally {
    Object.defineProperty(prototype, 'query', original)
  }
}
