import assert from 'node:assert/strict'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { document, operations } from '../../src/runtime/operations.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { SCOPES, type Scope } from '../../src/http/scopes.ts'
import { createApiKey, deleteApiKey } from '../../src/workspaces/create-api-key.ts'
import { createSegment } from '../../src/segments/segments.ts'
import { aContact, aList, anAutomation, anEvent } from '../support/factories.ts'
import { expectedOf } from '../support/operations-table.ts'
import type { Answer, Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { checkRows } from '../support/table.ts'

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

  before(async () => {
    service = await openWorkspace({ worker: false })
    const other = await openWorkspace({ worker: false })
    const contact = await aContact(other, { tags: ['vip'] })
    others = {
      contacts: contact,
      contactId: contact,
      lists: await aList(other),
      automations: await anAutomation(other),
      segments: await aSegment(other),
      templates: await aResource(other, 'templates', { name: 'T', subject: 'x', text: 'x' }),
      campaigns: await aResource(other, 'campaigns', { name: 'C', subject: 'x', text: 'x' }),
      imports: await aResource(other, 'imports', { name: 'x.csv' }),
      webhooks: await aResource(other, 'webhooks', { events: ['contact.created'] }),
      proposals: await aResource(other, `automations/${await anAutomation(other)}/proposals`, {
        ...{ content: { name: 'New' }, reason: 'x' },
      }),
      suppressions: await aResource(other, 'suppressions', { email: 'other@example.com' }),
      emails: await aResource(other, 'emails', { to: 'other@example.com', subject: 'x', text: 'x' }),
    }
  })
  // Requests without a valid key share one address, and so one rate limit.
  beforeEach(() => sql(service.context.orm.em.fork(), 'delete from rate_windows'))

  const aResource = async (of: Service, path: string, body: object) => {
    const { status, body: created } = await of.call('POST', path, body)
    assert.ok(status < 300, `${path}: ${JSON.stringify(created)}`)
    return created.data.id as string
  }
  const aSegment = async ({ context, workspaceId }: Service) => {
    const condition = { field: 'email', is: 'present' }
    return (await createSegment(context.orm.em, { workspaceId, name: 'Of a test', condition })).id
  }
  const aKey = (fields: Parameters<Service['newKey']>[0]) =>
    service.newKey({ workspaceId: service.workspaceId, ...fields })

  /** Calls an operation with one ID for each parameter. */
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
    return service.call(method, filled.slice(1), body, { key })
  }

  /** Runs a request, and returns the statements that it sent to the database of the service. */
  async function counting(run: () => Promise<Answer>): Promise<Counted> {
    const statements: string[] = []
    const database = new URL(service.context.config.DATABASE_URL).pathname.slice(1)
    const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown }
    const original = Object.getOwnPropertyDescriptor(prototype, 'query')!
    prototype.query = function (this: { database?: string }, ...args: unknown[]) {
      const [given] = args as [string | { text: string }]
      const text = typeof given === 'string' ? given : given.text
      // The request log is written later, for any requests.
      if (this.database === database && !text.includes('insert into request_log'))
        statements.push(text.replace(/'[^']*'/g, '?'))
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

  it('returns the document for any valid key', async () => {
    const key = await aKey({ scopes: [] })
    const { status, body } = await service.call('GET', 'openapi.json', undefined, { key })
    assert.equal(status, 200)
    assert.deepEqual(body, JSON.parse(JSON.stringify(document)))
  })

  it('has each operation with its scope, parameters, statuses and examples', () => {
    assert.deepEqual(
      all.map(({ path, method }) => `${method} ${path}`).toSorted(),
      operations.map(({ path, method }) => `${method} ${path}`).toSorted(),
    )
    const text = JSON.stringify(document)
    for (const operation of operations) {
      const described = paths[operation.path]![operation.method.toLowerCase()]!
      const { scopes: expected, takesIdempotencyKey } = expectedOf(operation)
      const scopes = [described['x-required-scope'], described['x-alternative-scope']].filter(Boolean)
      assert.deepEqual(scopes.toSorted(), expected.toSorted())
      const names = described.parameters.map((parameter) => parameter.name)
      assert.equal(names.includes('Idempotency-Key'), takesIdempotencyKey, operation.id)
      for (const name of operation.path.match(/(?<=\{)\w+/g) ?? []) assert.ok(names.includes(name))
      for (const name of Object.keys(operation.query?.fields ?? {})) assert.ok(names.includes(name))
      const known = Object.keys(operation.body?.fields ?? {})
      for (const field of known) assert.ok(text.includes(`"${field}"`), `${operation.id}: ${field}`)
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

  /** Calls an operation as each caller that it rejects, with checks of the responses. */
  function rejections(entry: (typeof all)[number]): Record<string, () => Promise<void>> {
    const { path, described } = entry
    const [scope = null, orScope] = expectedOf(entry).scopes

    function assertDocumented(body: object, status: number) {
      const bodies = describedBodies(described, status).map((documented) => JSON.stringify(documented))
      assert.ok(bodies.includes(JSON.stringify(body)), `the document lacks ${JSON.stringify(body)}`)
    }
    const returns = (status: number, error: string, key: () => string | null | Promise<string>) => async () => {
      const answer = await ask(entry, await key())
      assert.deepEqual([answer.status, answer.body], [status, { error }])
      assertDocumented({ error }, status)
    }
    const reachedWith = async (scopes: Scope[]) => {
      const { status } = await ask(entry, await aKey({ scopes }))
      assert.ok(status !== 403 && status < 500, `${status} with ${scopes.join()}`)
    }

    return {
      'no key': returns(
        401,
        'API key missing: send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>"',
        () => null,
      ),
      'a malformed key': returns(
        401,
        'Invalid API key: it is incomplete or mistyped',
        () => `svc_live_${'a'.repeat(38)}`,
      ),
      'a revoked key': returns(401, 'API key not found or has been revoked', async () => {
        const { em } = service.context.orm
        const { key, apiKey } = await createApiKey(em, { workspaceId: service.workspaceId, name: 'k', scopes: SCOPES })
        await deleteApiKey(em, apiKey.id)
        return key
      }),
      'a key outside its address ranges': returns(401, 'API key not allowed from this IP address', () =>
        aKey({ allowedRanges: ['203.0.113.0/24', '2001:db8::/32'] }),
      ),
      async 'a key over its limit'() {
        const key = await aKey({ rateLimit: 1 })
        await ask(entry, key)
        const { refused, body, headers } = await ask(entry, key)
        const error = `Rate limit exceeded. Retry after ${headers.get('retry-after')} seconds.`
        assert.deepEqual([refused, body], ['429 rate_limited', { error }])
      },
      ...(scope !== null && {
        'a key without the scope': returns(403, `Missing required scope: ${scope}`, () =>
          aKey({ scopes: SCOPES.filter((other) => other !== scope && other !== orScope) }),
        ),
        async 'no key with only the scope'() {
          const alone: Scope[] = [scope]
          // Previews show a contact, so they also need the scope to read contacts.
          if (/^\/templates.*\/preview$/.test(path)) alone.push('contacts:read')
          // Explanations are about a contact.
          if (path.includes('/explanations/')) alone.push('contacts:read')
          // Rehearsals read contacts.
          if (/\/rehearse$|^\/rehearsals\//.test(path)) alone.push('contacts:read')
          // The example names an automation and a campaign.
          if (path === '/messages/retry') alone.push(orScope!)
          // A member who decides needs a key that has read the automation or the campaign.
          if (/^\/(automations|campaigns).*\/proposals$/.test(path)) alone.push('automations:read', 'campaigns:read')
          // The example is ACTIVE. test/mcp/draft-tools.test.ts creates a DRAFT.
          if (entry.method === 'POST' && path === '/automations') alone.push(orScope!)
          await reachedWith(alone)
          if (orScope !== undefined && !alone.includes(orScope)) await reachedWith([orScope])
        },
      }),
      ...(path.includes('{') && {
        async 'an ID of another workspace, as an unknown one'() {
          const collection = path.slice(1).split('/')[0]!
          const missing = await counting(() => ask(entry, service.key))
          const foreign = await counting(() => ask(entry, service.key, others[collection], others['contactId']))
          assert.equal(foreign.answer.status, 404)
          assertSameResponse(foreign, missing)
          assertDocumented({ error: (foreign.answer.body as { error: string }).error }, 404)
        },
      }),
    }
  }

  for (const entry of all.filter((each) => expectedOf(each).isForKeys))
    it(`has the errors that ${entry.method} ${entry.path} returns`, () =>
      checkRows(rejections(entry), (check) => check()))

  it('has the same 404 for IDs of another workspace in a body or query as for unknown ones', async () => {
    const lists = `lists/${await aList(service)}`
    const automations = `automations/${await anAutomation(service)}`
    type Ask = (id: (name: string) => string) => [method: string, path: string, body?: object]
    const rows: Record<string, [error: string, ask: Ask]> = {
      'a contact to enroll': [
        'Contact not found',
        (id) => ['POST', `${automations}/enroll`, { contactId: id('contacts') }],
      ],
      'a contact for a list': [
        'Contact not found',
        (id) => ['POST', `${lists}/contacts`, { contactId: id('contacts') }],
      ],
      'a list to join': [
        'List not found in workspace',
        (id) => ['POST', 'contacts', { email: 'a@example.com', listId: id('lists') }],
      ],
      'a list to search': ['List not found in workspace', (id) => ['GET', `contacts?listId=${id('lists')}`]],
      'a segment to search': ['Segment not found', (id) => ['GET', `contacts?segmentId=${id('segments')}`]],
    }
    await checkRows(rows, async ([error, request]) => {
      const missing = await counting(() => service.call(...request(() => newId())))
      const foreign = await counting(() => service.call(...request((name) => others[name]!)))
      assert.deepEqual([foreign.answer.status, foreign.answer.body], [404, { error }])
      assertSameResponse(foreign, missing)
    })
  })

  it('has lists that run at most three statements, or more for activity and names of events', async () => {
    const own = await openWorkspace({ worker: false })
    const listId = await aList(own)
    const contactId = await aContact(own, { tags: ['counted'], listId })
    await anEvent(own, contactId, 'counted')
    const ids: Record<string, string> = {
      contacts: contactId,
      lists: listId,
      segments: await aSegment(own),
      templates: (await own.call('POST', 'templates', { name: 'T', subject: 'x', text: 'x' })).body.data.id,
      imports: (await own.call('POST', 'imports', { name: 'x.csv' })).body.data.id,
      rehearsals: (await own.call('POST', `automations/${await anAutomation(own)}/rehearse`, {})).body.data.id,
    }
    const conditions = { tag: 'counted', listId, segmentId: ids['segments']! }
    // One statement authenticates and counts the request, one counts the rows, one reads the page. Activity needs a fourth to
    // limit contents, and a search by a segment for the time. Names of events need three for their properties and for what uses them,
    // and segments one for what uses them.
    const most: Record<string, number> = {
      '/contacts/{id}/activity': 4,
      '/contacts': 4,
      '/events/names': 5,
      '/rehearsals/{id}/contacts': 4,
      '/segments': 4,
    }
    const paged = all.filter(({ described }) => described.parameters.some(({ name }) => name === 'page'))
    await checkRows(
      Object.fromEntries(paged.map((entry) => [entry.path, entry])),
      async ({ path, method, described }) => {
        const search = new URLSearchParams(
          Object.entries(conditions).filter(([known]) => described.parameters.some(({ name }) => name === known)),
        )
        const target = `${path.slice(1).replace('{id}', ids[path.split('/')[1]!] ?? '')}?${search.toString()}`
        const { answer, statements } = await counting(() => own.call(method, target))
        assert.equal(answer.status, 200)
        assert.ok(statements.length <= (most[path] ?? 3), statements.join('\n'))
      },
    )
  })

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

interface Counted {
  answer: Answer
  statements: string[]
}

/** Both run the same statements, so the response time also reveals nothing. */
function assertSameResponse(foreign: Counted, missing: Counted): void {
  assert.deepEqual([foreign.answer.refused, foreign.answer.body], [missing.answer.refused, missing.answer.body])
  assert.deepEqual([...foreign.answer.headers.keys()], [...missing.answer.headers.keys()])
  assert.deepEqual(foreign.statements, missing.statements)
}
