import assert from 'node:assert/strict'
import { createDriplineClient, DriplineError, type DriplineClient } from '@dripline/client'
import { operations } from '../../src/runtime/operations.ts'
import { startGateway, type Gateway } from '../support/gateway.ts'
import { startInstance, type Instance } from '../support/instance.ts'

describe('the resource methods of the client', () => {
  let service: Instance
  let gateway: Gateway
  let dripline: DriplineClient
  before(async () => {
    service = await startInstance({ worker: false })
    gateway = await startGateway(service.port)
    dripline = createDriplineClient({ baseUrl: gateway.baseUrl, apiKey: service.key })
  })
  after(async () => {
    await gateway.close()
    await service.stop()
  })
  beforeEach(() => void (gateway.asked.length = 0))

  it('create, return, update and delete a contact', async () => {
    const created = await dripline.contacts.upsert({
      email: 'ada@example.com',
      metadata: { plan: 'pro' },
      tags: ['vip'],
    })
    assert.deepEqual(created.tags, ['vip'])
    const updated = await dripline.contacts.update('email:ada@example.com', { externalId: '4711/a' })
    assert.equal(updated.id, created.id)
    // IDs are encoded in the path.
    const contact = await dripline.contacts.get('external:4711/a')
    assert.deepEqual([contact.id, contact.email, contact.metadata], [created.id, 'ada@example.com', { plan: 'pro' }])
    await dripline.contacts.removeTag(contact.id, 'vip')
    await dripline.contacts.delete(contact.id)
    await assert.rejects(dripline.contacts.get(contact.id), (error) => {
      assert.ok(error instanceof DriplineError)
      assert.deepEqual([error.status, error.code], [404, 'contact_not_found'])
      return error.requestId !== undefined
    })
  })

  it('iterate over numbered pages, and return one page', async () => {
    const contacts = Array.from({ length: 205 }, (_, n) => ({ email: `paged${n}@example.com`, tags: ['paged'] }))
    await dripline.contacts.upsertMany({ contacts })
    gateway.asked.length = 0
    const emails = new Set<string>()
    for await (const { email } of dripline.contacts.list({ tag: 'paged' })) emails.add(email)
    assert.deepEqual([emails.size, gateway.asked.length], [205, 3])
    const { data, pagination } = await dripline.contacts.list({ tag: 'paged', limit: 10, page: 2 }).page()
    assert.deepEqual([data.length, pagination.page, pagination.total], [10, 2, 205])
    assert.equal((await dripline.contacts.list({ tag: 'paged', page: 21, limit: 10 }).toArray()).length, 5)
  })

  it('iterate over pages with cursors, and stop when the caller stops', async () => {
    const contact = await dripline.contacts.upsert({ email: 'events@example.com' })
    const events = Array.from({ length: 5 }, (_, n) => ({ name: 'counted', contactId: contact.id, data: { n } }))
    await dripline.events.sendMany({ events })
    const all = await dripline.contacts.events(contact.id, { limit: 2 }).toArray()
    assert.deepEqual(all.map(({ data }) => data?.['n']).toSorted(), [0, 1, 2, 3, 4])
    gateway.asked.length = 0
    for await (const event of dripline.events.list({ name: 'counted', limit: 2 })) {
      assert.equal(event.contactId, contact.id)
      break
    }
    assert.equal(gateway.asked.length, 1)
  })

  it('send an event, and enroll a contact', async () => {
    const automation = await dripline.automations.create({
      name: 'Welcome',
      status: 'ACTIVE',
      trigger: 'EVENT',
      triggerConfig: { eventName: 'Signed up' },
      steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }],
    })
    const sent = await dripline.events.send({ name: 'Signed up', email: 'bo@example.com' })
    assert.equal(sent.matchingAutomations, 1)
    const { id } = await dripline.contacts.upsert({ email: 'cy@example.com' })
    assert.equal((await dripline.automations.enroll(automation.id, { contactId: id })).enrolled, true)
    const enrollments = await dripline.automations.enrollments(automation.id).toArray()
    assert.ok(enrollments.some(({ contactId }) => contactId === id))
    assert.equal((await dripline.automations.get(automation.id)).steps.length, 1)
  })

  it('pass the options of a call', async () => {
    const key = { idempotencyKey: 'list-1' }
    const first = await dripline.lists.create({ name: 'News' }, key)
    const second = await dripline.lists.create({ name: 'News' }, key)
    assert.deepEqual([first.id, gateway.asked], [second.id, ['POST list-1', 'POST list-1']])
    const template = await dripline.templates.create({ name: 'Receipt', subject: 'Thanks', text: 'Thanks' })
    const change = dripline.templates.replace(
      template.id,
      { name: 'Receipt', subject: 'Hi', text: 'Hi' },
      { ifMatch: '"99"' },
    )
    await assert.rejects(change, { code: 'revision_conflict' })
    const aborted = dripline.templates.get(template.id, {}, { signal: AbortSignal.abort(new Error('Stopped')) })
    await assert.rejects(aborted, /Stopped/)
  })

  it('send, return and cancel an email', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString()
    const email = { to: 'ada@example.com', subject: 'Your receipt', text: 'Thank you.' }
    const { id } = await dripline.emails.send({ ...email, scheduledAt })
    assert.deepEqual([(await dripline.emails.get(id)).to, (await dripline.emails.cancel(id)).id], [email.to, id])
    const { accepted, errors } = await dripline.emails.sendMany({ emails: [email, { ...email, to: 'x' }] })
    assert.deepEqual([accepted, errors.length], [1, 1])
  })

  it('accept a call without its optional body', async () => {
    const list = await dripline.lists.create({ name: 'Readers' })
    await dripline.contacts.upsert({ email: 'reader@example.com', listId: list.id })
    const audience = { listIds: [list.id] }
    const { id } = await dripline.campaigns.create({ name: 'News', subject: 'Hi', text: 'Hi', audience })
    assert.equal((await dripline.campaigns.schedule(id)).status, 'SCHEDULED')
    assert.equal((await dripline.campaigns.pause(id, { idempotencyKey: 'pause-1' })).status, 'PAUSED')
    assert.ok(gateway.asked.includes('POST pause-1'))
  })

  it('reject an empty ID without a request', () => {
    assert.throws(() => dripline.contacts.delete(''), {
      name: 'TypeError',
      message: 'id must be a string that is not empty',
    })
    assert.deepEqual(gateway.asked, [])
  })

  it('exist for every operation that accepts a key', async () => {
    const requested: string[] = []
    const recorder = createDriplineClient({
      baseUrl: 'http://127.0.0.1:1/api/v1',
      apiKey: 'key',
      retries: 0,
      fetch: (request) => {
        requested.push(`${request.method} ${new URL(request.url).pathname.replace('/api/v1', '')}`)
        return Promise.resolve(Response.json({ data: [], pagination: { nextCursor: null } }))
      },
    })
    const resources = Object.values(recorder).filter((value): value is object => typeof value === 'object')
    const calls = resources.flatMap((resource) => Object.values(resource) as ((...ids: string[]) => unknown)[])
    for (const call of calls) {
      const result = call('{id}', '{id}') as Promise<unknown> | { page(): Promise<unknown> }
      await ('page' in result ? result.page() : result)
    }
    const called = requested.map((one) => decodeURIComponent(one))
    // Libraries of Segment call its paths.
    const described = operations
      .filter(({ id, path, scope }) => scope !== undefined && id !== 'getOpenApi' && !path.startsWith('/sources/'))
      .map(({ method, path }) => `${method} ${path.replaceAll(/{\w+}/g, '{id}')}`)
    // Add missing operations to packages/client/src/resources.ts.
    assert.deepEqual(called.toSorted(), described.toSorted())
  })

  it('are typed', () => {
    // The compiler checks these calls. None of them is made.
    const calls = () => [
      // @ts-expect-error -- an email is a text
      dripline.contacts.upsert({ email: 5 }),
      // @ts-expect-error -- a field with this name does not exist
      dripline.contacts.upsert({ email: 'ada@example.com', color: 'red' }),
      // @ts-expect-error -- the body is missing
      dripline.contacts.upsert(),
      // @ts-expect-error -- the ID is missing
      dripline.contacts.get(),
      // @ts-expect-error -- a query parameter with this name does not exist
      dripline.contacts.list({ color: 'red' }),
      // @ts-expect-error -- the period is missing
      dripline.workspace.flow(),
      // @ts-expect-error -- the body takes no such status
      dripline.automations.update('id', { status: 'RUNNING' }),
      // @ts-expect-error -- a GET takes no Idempotency-Key
      dripline.contacts.get('id', { idempotencyKey: 'x' }),
      // @ts-expect-error -- contacts have no ETag
      dripline.contacts.update('id', { firstName: 'Ada' }, { ifMatch: '"1"' }),
      async (): Promise<unknown> => {
        // @ts-expect-error -- a campaign has no such field
        return (await dripline.campaigns.get('id')).color
      },
      async (): Promise<unknown> => {
        // @ts-expect-error -- a page with a cursor has no total
        return (await dripline.messages.list().page()).pagination.total
      },
      async (): Promise<void> => {
        // @ts-expect-error -- contacts have no color
        for await (const { color } of dripline.contacts.list()) void color
      },
    ]
    assert.equal(typeof calls, 'function')
  })
})
