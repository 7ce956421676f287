import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('contacts', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })
  const post = (body: unknown) => service.call('POST', 'contacts', body)

  it('creates a contact once and then updates it, comparing emails without case', async () => {
    const first = await post({ email: ' Ada@Example.com ', firstName: 'Ada', metadata: { plan: 'free', n: 1 } })
    assert.equal(first.status, 201)
    assert.equal(first.body.data.email, 'Ada@Example.com')
    const second = await post({ email: 'ada@example.COM', metadata: { plan: 'pro', n: null } })
    assert.equal(second.status, 200)
    assert.equal(second.body.data.id, first.body.data.id)
    assert.equal(second.body.data.firstName, 'Ada')
    assert.deepEqual(second.body.data.metadata, { plan: 'pro' })
    assert.equal((await post({ email: 'ada@example.com', firstName: null })).body.data.firstName, null)
  })

  it('writes nothing if a request changes nothing', async () => {
    const body = {
      email: 'same@example.com',
      firstName: 'Grace',
      externalId: 'same',
      metadata: { plan: 'pro', since: '2026-01-31' },
    }
    const { id } = (await post(body)).body.data as { id: string }
    const version = async () => {
      const [row] = await sql<{ version: string }>(
        service.context.orm.em.fork(),
        'select xmin::text as version from contacts where id = $1::uuid',
        [id],
      )
      return row!.version
    }
    const before = await version()
    for (const same of [
      body,
      { email: 'same@example.com' },
      { email: 'same@example.com', metadata: { plan: 'pro', gone: null } },
    ])
      assert.equal((await post(same)).status, 200)
    assert.equal(await version(), before)
    for (const changed of [
      { email: 'Same@example.com' },
      { email: 'Same@example.com', firstName: null },
      { email: 'Same@example.com', metadata: { since: null } },
      { email: 'Same@example.com', externalId: 'other' },
    ]) {
      const earlier = await version()
      assert.equal((await post(changed)).status, 200)
      assert.notEqual(await version(), earlier, JSON.stringify(changed))
    }
  })

  it('lists contacts in pages, newest first, only from the same workspace', async () => {
    const key = await service.newKey()
    for (const n of [1, 2, 3]) await service.call('POST', 'contacts', { email: `page-${n}@example.com` }, { key })
    const { body } = await service.call('GET', 'contacts?limit=2&page=1', undefined, { key })
    assert.deepEqual(body.pagination, { page: 1, limit: 2, total: 3, totalPages: 2 })
    assert.deepEqual(
      body.data.map((contact: { email: string }) => contact.email),
      ['page-3@example.com', 'page-2@example.com'],
    )
    const past = await service.call('GET', 'contacts?page=99', undefined, { key })
    assert.deepEqual(past.body, { data: [], pagination: { page: 99, limit: 50, total: 3, totalPages: 1 } })
  })

  it('finds contacts by the beginning of their email or first name, or by their externalId', async () => {
    const key = await service.newKey()
    const write = (body: object) => service.call('POST', 'contacts', body, { key })
    await write({ email: 'Grace_100%@example.com', firstName: 'Zoë', externalId: 'A-1' })
    await write({ email: 'graham@example.com', firstName: 'zebra' })
    await write({ email: 'zed@example.com', externalId: 'A-10' })
    const find = async (q: string) => {
      const { body } = await service.call('GET', `contacts?q=${encodeURIComponent(q)}`, undefined, { key })
      assert.equal(body.pagination.total, body.data.length)
      return (body.data as { email: string }[]).map(({ email }) => email.split('@')[0]).join(' ')
    }
    assert.equal(await find('GRA'), 'graham Grace_100%')
    assert.equal(await find('grace_'), 'Grace_100%', '_ is not a wildcard')
    assert.equal(await find('gr%h'), '')
    assert.equal(await find('grace\\'), '')
    assert.equal(await find(' z '), 'zed graham Grace_100%')
    assert.equal(await find('Zoë'), 'Grace_100%')
    assert.equal(await find('A-1'), 'Grace_100%', 'an externalId must match completely')
    assert.equal(await find('rah'), '')
    assert.equal(await find(''), 'zed graham Grace_100%')
  })

  it('returns 400 for an invalid page or limit', async () => {
    const queries = ['limit=0', 'limit=101', 'limit=ten', 'limit=1&limit=2', 'page=0', 'page=1.5', `page=${10 ** 20}`]
    for (const query of queries) {
      const { refused, body } = await service.call('GET', `contacts?${query}`)
      const message = `${query.slice(0, query.indexOf('='))} must be an integer from 1 to `
      assert.deepEqual([refused, body.error.replace(/\d+$/, '')], ['400 invalid_request', message], query)
    }
  })

  it('does not list every contact for a misspelled filter', async () => {
    const { refused, body } = await service.call('GET', 'contacts?tags=vip')
    assert.equal(refused, '400 unknown_parameter')
    assert.equal(body.error, '"tags" is not a query parameter of this operation; did you mean tag?')
    assert.equal((await service.call('GET', 'contacts?__proto__=1')).refused, '400 unknown_parameter')
  })

  it('finds a contact by its address in the path', async () => {
    const email = 'by-path+tag@example.com'
    const id = await aContact(service, { email, externalId: 'in@path' })
    for (const named of [email, email.toUpperCase(), `email:${email}`, 'external:in@path', id])
      assert.equal((await service.call('GET', `contacts/${named}`)).body.data.id, id, named)
    assert.equal((await service.call('GET', 'contacts/in@path')).refused, '404 contact_not_found')
  })

  it('writes the valid contacts of a bulk request, and the later of two items with the same address', async () => {
    const existing = await aContact(service, {
      email: 'bulk-0@example.com',
      firstName: 'Old',
      metadata: { a: 1, b: 2 },
    })
    const { status, body } = await service.call('POST', 'contacts/bulk', {
      contacts: [
        { email: 'bulk-0@example.com', metadata: { b: null, c: 3 } },
        { email: 'bulk-1@example.com', firstName: 'first' },
        { email: 'not an address' },
        null,
        { email: 'BULK-1@example.com', firstName: 'second' },
      ],
    })
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      created: 1,
      updated: 1,
      failed: 2,
      errors: [
        { index: 2, error: 'Invalid email address' },
        { index: 3, error: 'The item must be an object' },
      ],
    })
    const { body: list } = await service.call('GET', 'contacts?limit=100')
    const byEmail = new Map<string, { id: string; firstName: string; metadata: object }>(
      list.data.map((contact: { email: string }) => [contact.email, contact]),
    )
    assert.equal(byEmail.get('BULK-1@example.com')?.firstName, 'second')
    assert.equal(byEmail.get('bulk-0@example.com')?.id, existing)
    assert.equal(byEmail.get('bulk-0@example.com')?.firstName, 'Old')
    assert.deepEqual(byEmail.get('bulk-0@example.com')?.metadata, { a: 1, c: 3 })
  })

  it('limits a bulk request to a thousand contacts', async () => {
    const contacts = Array.from({ length: 1001 }, (_, n) => ({ email: `many-${n}@example.com` }))
    const { refused, body } = await service.call('POST', 'contacts/bulk', { contacts })
    assert.equal(refused, '400 invalid_request')
    assert.equal(body.error, 'contacts array must not exceed 1000 items')
    const thousand = await service.call('POST', 'contacts/bulk', { contacts: contacts.slice(1) })
    assert.equal(thousand.body.data.created, 1000)
  })

  it('creates contacts once when ten requests write the same contacts concurrently', async () => {
    const key = await service.newKey()
    const contacts = Array.from({ length: 300 }, (_, n) => ({ email: `same-${n}@example.com`, metadata: { n } }))
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        service.call('POST', 'contacts/bulk', { contacts: contacts.toSorted(() => Math.random() - 0.5) }, { key }),
      ),
    )
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(10).fill(200),
    )
    const created = answers.reduce(
      (sum, answer) => sum + (answer.body as { data: { created: number } }).data.created,
      0,
    )
    assert.equal(created, 300)
  })

  it('starts no automations for a bulk request with "triggers": false', async () => {
    const listId = await aList(service)
    await anAutomation(service, { trigger: 'SIGNUP', triggerConfig: undefined })
    await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId } })
    await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'imported' } })
    const countEvents = async () => {
      const [row] = await sql<{ count: number }>(
        service.context.orm.em.fork(),
        'select count(*)::integer as count from trigger_events where workspace_id = $1::uuid',
        [service.workspaceId],
      )
      return row?.count
    }
    const before = await countEvents()
    const contact = { email: 'imported@example.com', listId, tags: ['imported'] }
    const { body } = await service.call('POST', 'contacts/bulk', { contacts: [contact], triggers: false })
    assert.deepEqual([body.data.created, await countEvents()], [1, before])
    const read = await service.call('GET', 'contacts/email:imported@example.com')
    assert.deepEqual([read.body.data.listIds, read.body.data.tags], [[listId], ['imported']])
    // Existing values do not trigger automations later either.
    await service.call('POST', 'contacts/bulk', { contacts: [contact] })
    assert.equal(await countEvents(), before)
    await service.call('POST', 'contacts/bulk', { contacts: [{ ...contact, email: 'other-imported@example.com' }] })
    assert.equal(await countEvents(), before! + 3)
  })

  it('returns 400 for a bulk request that would start too many automations', async () => {
    const crowd = await openWorkspace({ worker: false })
    const em = crowd.context.orm.em.fork()
    const id = await anAutomation(crowd, { trigger: 'SIGNUP', triggerConfig: undefined })
    await sql(
      em,
      `insert into automations select (jsonb_populate_record(automation, jsonb_build_object('id', gen_random_uuid()))).*
       from automations automation cross join generate_series(1, 200) where id = $1::uuid`,
      [id],
    )
    const people = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ email: `crowd-${count}-${n}@example.com` }))
    const { status, body } = await crowd.call('POST', 'contacts/bulk', { contacts: people(100) })
    assert.deepEqual(
      [status, body.error],
      [400, '201 automations would start for 100 contacts. Send at most 99 contacts at a time'],
    )
    assert.equal((await crowd.call('POST', 'contacts/bulk', { contacts: people(10) })).status, 200)
  })
})
