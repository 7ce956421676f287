import assert from 'node:assert/strict'
import { deleteOldTriggerEvents } from '../../src/triggers/queries.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, aList, anAutomation, anEvent, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Event {
  id: string
  name: string
  contactId: string
  data: unknown
  source: string
  matchingAutomations: number
}

interface Contact {
  id: string
  email: string
  metadata: unknown
  tags: string[]
  listIds: string[]
}

describe('events with their contacts', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  let count = 0
  const em = () => service.context.orm.em.fork()
  const anAddress = () => `event-${(count += 1)}@example.com`
  const record = (body: object, headers = {}) => service.call('POST', 'events', body, { headers })
  const bulk = (events: unknown) => service.call('POST', 'events/bulk', { events })
  const contact = async (id: string) => (await service.call('GET', `contacts/${id}`)).body.data as Contact
  const history = async (path: string) => (await service.call('GET', path)).body.data as Event[]
  const eventsOf = (contactId: string) => history(`contacts/${contactId}/events`)
  const sent = (contactId: string, total: number) =>
    eventually(`${total} emails`, async () => {
      const items = await activityOf(service, contactId)
      return items.filter(({ status }) => status === 'SENT').length === total || undefined
    })
  const on = (eventName: string, fields: object = {}) =>
    anAutomation(service, { triggerConfig: { eventName }, ...fields })
  const doubleOptInList = async () => {
    const listId = await aList(service)
    const steps = [{ ...EMAIL, category: 'transactional', text: '{{ confirmUrl }}' }]
    await anAutomation(service, { trigger: 'LIST_REQUESTED', triggerConfig: { listId }, steps })
    await service.call('PATCH', `lists/${listId}`, { doubleOptIn: true })
    return listId
  }

  describe('one at a time', () => {
    it('creates a contact, adds it to a list, stores the event and starts what all of these trigger', async () => {
      const listId = await aList(service)
      const listening = await on('signed up', { name: 'Onboarding' })
      await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId } })
      await anAutomation(service, { trigger: 'TAG_ADDED', triggerConfig: { tagName: 'by event' } })
      const email = anAddress()
      const { status, body } = await record({
        ...{ name: 'Signed up', email, data: { plan: 'free' }, lists: [listId] },
        contact: { firstName: 'Ada', metadata: { plan: 'free' }, tags: ['by event'] },
      })
      assert.equal(status, 202)
      const { contactId, firedAt, ...rest } = body.data
      assert.ok(firedAt)
      assert.deepEqual(rest, {
        ...{ eventName: 'Signed up', contactCreated: true, lists: [{ listId, result: 'ADDED', error: null }] },
        ...{ matchingAutomations: 1, started: [{ automationId: listening, name: 'Onboarding' }] },
        ...{ continued: [], ended: [], alreadyEnrolled: [], refused: [] },
      })
      assert.partialDeepStrictEqual(await contact(contactId as string), {
        ...{ email, firstName: 'Ada', metadata: { plan: 'free' }, tags: ['by event'], listIds: [listId] },
      })
      await sent(contactId as string, 3)
    })

    it('updates an existing contact, by any of its names', async () => {
      const externalId = `external-${newId()}`
      const contactId = await aContact(service, { externalId, metadata: { a: 1, b: 2 } })
      const email = (await addressOf(service, contactId)).toUpperCase()
      const names = [{ email }, { externalId }, { contactId }, { contactId: `external:${externalId}` }]
      for (const [n, name] of names.entries()) {
        const { status, body } = await record({ ...name, name: 'seen', contact: { metadata: { b: null, n } } })
        assert.deepEqual([status, body.data.contactId, body.data.contactCreated], [202, contactId, false])
        const { metadata, email: stored } = await contact(contactId)
        assert.deepEqual([metadata, stored], [{ a: 1, n }, email.toLowerCase()])
      }
      assert.equal((await eventsOf(contactId)).length, 4)
    })

    it('rejects a contact that does not exist and may not be created', async () => {
      const email = anAddress()
      for (const [param, body] of Object.entries({
        '/externalId': { externalId: 'nobody' },
        '/contactId': { contactId: newId() },
        '/email': { email, createContact: false },
      })) {
        const answer = await record({ ...body, name: 'x' })
        assert.equal(answer.refused, '404 contact_not_found')
        assert.equal(answer.headers.get('x-error-param'), param)
      }
      assert.equal((await record({ contactId: `email:${email}`, name: 'x' })).refused, '404 contact_not_found')
    })

    it('changes nothing if a list does not exist', async () => {
      const email = anAddress()
      const { refused, headers } = await record({ email, name: 'x', lists: [await aList(service), newId()] })
      assert.deepEqual([refused, headers.get('x-error-param')], ['404 list_not_found', '/lists/1'])
      assert.equal((await service.call('GET', `contacts/email:${email}`)).status, 404)
    })

    it('leaves a new contact unconfirmed until they confirm a list with double opt-in', async () => {
      const listId = await doubleOptInList()
      const { body } = await record({ email: anAddress(), name: 'x', lists: [listId] })
      const { contactId, lists } = body.data
      assert.deepEqual(lists, [{ listId, result: 'PENDING', error: null }])
      assert.partialDeepStrictEqual(await contact(contactId as string), { suppressedBy: 'UNCONFIRMED', listIds: [] })
      assert.equal((await eventsOf(contactId as string)).length, 1)
      // Joining a list without double opt-in confirms the contact.
      const other = await aList(service)
      await record({ contactId, name: 'x', lists: [listId, other] })
      assert.partialDeepStrictEqual(await contact(contactId as string), { suppressedBy: null, listIds: [other] })
    })

    it('stores the event of a contact who left the list', async () => {
      const listId = await aList(service)
      const contactId = await aContact(service, { listId })
      await sql(em(), 'delete from list_members where contact_id = $1::uuid', [contactId])
      await sql(em(), `insert into list_opt_outs (list_id, contact_id) values ($1::uuid, $2::uuid)`, [
        listId,
        contactId,
      ])
      const { body } = await record({ contactId, name: 'x', lists: [listId] })
      assert.equal(body.data.lists[0].result, 'FAILED')
      assert.match(body.data.lists[0].error as string, /unsubscribed from this list/)
      assert.deepEqual((await contact(contactId)).listIds, [])
      assert.equal((await eventsOf(contactId)).length, 1)
    })

    it('takes effect once with an Idempotency-Key', async () => {
      const email = anAddress()
      const headers = { 'Idempotency-Key': newId() }
      const once = () => record({ email, name: 'once' }, headers)
      const [first, second] = [await once(), await once()]
      assert.deepEqual(second.body, first.body)
      assert.equal((await eventsOf(first.body.data.contactId as string)).length, 1)
    })
  })

  describe('in bulk', () => {
    it('stores the valid ones, and lists the errors of the others', async () => {
      const contactId = await aContact(service)
      await on('bulk')
      const email = anAddress()
      const { status, body } = await bulk([
        { name: 'Bulk', contactId, data: { n: 0 } },
        { name: 'bulk', contactId: newId() },
        { contactId },
        { name: 'bulk' },
        { name: 'bulk', email, externalId: 'x' },
        { name: 'bulk', email, contact: { metadata: { a: 1, b: 1 }, tags: ['one'] } },
        { name: 'other', email, contact: { metadata: { b: null, c: 3 }, tags: ['two'] } },
        { name: 'bulk', email: anAddress(), createContact: false },
        7,
        { name: 'bulk', contactId, lists: [newId()] },
      ])
      assert.equal(status, 202)
      const { errors, ...counts } = body.data
      assert.deepEqual(counts, { stored: 3, contactsCreated: 1, failed: 7 })
      assert.deepEqual(errors, [
        { index: 1, error: 'Contact not found' },
        { index: 2, error: 'name is required' },
        { index: 3, error: 'Send exactly one of contactId, externalId and email' },
        { index: 4, error: 'Send exactly one of contactId, externalId and email' },
        { index: 7, error: 'Contact not found' },
        { index: 8, error: 'The item must be an object' },
        {
          index: 9,
          error: 'lists is unknown; known names: name, data, contact, contactId, externalId, email, createContact',
        },
      ])
      const created = await contact(`email:${email}`)
      assert.deepEqual([created.metadata, created.tags], [{ a: 1, c: 3 }, ['one', 'two']])
      assert.deepEqual(
        (await eventsOf(created.id)).map(({ name, source, matchingAutomations: matching }) => [name, source, matching]),
        [
          ['other', 'BULK', 0],
          ['bulk', 'BULK', 1],
        ],
      )
      await sent(contactId, 1)
      await sent(created.id, 1)
    })

    it('starts an automation once for several events of a contact, and counts it once', async () => {
      const contactId = await aContact(service)
      const several = [{ automationId: await on('several', { steps: [wait(60), EMAIL] }) }]
      await bulk([1, 2, 3].map((n) => ({ name: 'several', contactId, data: { n } })))
      const { body } = await service.call('GET', `contacts/${contactId}/events`)
      assert.equal(body.data.length, 3)
      assert.partialDeepStrictEqual(body.data, [
        { data: { n: 3 }, started: [], alreadyEnrolled: several },
        { data: { n: 2 }, started: [], alreadyEnrolled: several },
        { data: { n: 1 }, started: several, alreadyEnrolled: [] },
      ])
    })

    it('fails alone for a contact that exceeds a limit', async () => {
      const [full, other] = [await aContact(service), await aContact(service)]
      const large = { filler: 'x'.repeat(60_000) }
      await service.call('PATCH', `contacts/${full}`, { metadata: large })
      const { body } = await bulk([
        { name: 'x', contactId: full, contact: { metadata: { second: 'x'.repeat(60_000) } } },
        { name: 'x', contactId: other, contact: { metadata: { a: 1 } } },
        { name: 'x', contactId: full },
      ])
      assert.equal(body.data.stored, 2)
      assert.match(body.data.errors[0].error as string, /^metadata must not exceed/)
      assert.deepEqual((await contact(other)).metadata, { a: 1 })
    })

    it('takes at most 1,000 events', async () => {
      const { status, body } = await bulk(Array.from({ length: 1_001 }, () => ({})))
      assert.deepEqual([status, body.error], [400, 'events array must not exceed 1000 items'])
    })

    it('does not deadlock with requests that name the same contacts in another order', async () => {
      const externalIds = Array.from({ length: 20 }, () => newId())
      const ids = await Promise.all(externalIds.map((externalId) => aContact(service, { externalId })))
      const emails = await Promise.all(ids.map((id) => addressOf(service, id)))
      const answers = await Promise.all(
        [1, 2, 3, 4, 5, 6].map((n) => {
          const events = ids.map((contactId, i) => ({
            ...{ name: 'crossing', contact: { metadata: { n } } },
            ...[{ contactId }, { externalId: externalIds[i] }, { email: emails[i] }][(n + i) % 3],
          }))
          return bulk(n % 2 === 0 ? events : events.toReversed())
        }),
      )
      assert.deepEqual(
        answers.map(({ body }) => body.data?.stored as number),
        answers.map(() => 20),
      )
    })
  })

  describe('in the history', () => {
    it('are listed by contact, name and time, newest first, in pages', async () => {
      const own = await openWorkspace()
      const [ada, bob] = [await aContact(own), await aContact(own)]
      for (const [contactId, name] of [
        [ada, 'first'],
        [bob, 'Second'],
        [ada, 'second'],
        [ada, 'third'],
      ] as const)
        await anEvent(own, contactId, name, { name })
      const list = async (path: string) =>
        (await own.call('GET', path)).body as { data: Event[]; pagination: { nextCursor: string | null } }
      const names = async (path: string) => (await list(path)).data.map(({ name }) => name)
      assert.deepEqual(await names('events'), ['third', 'second', 'Second', 'first'])
      assert.deepEqual(await names('events?name=SECOND'), ['second', 'Second'])
      assert.deepEqual(await names(`events?name=SECOND&contactId=${bob}`), ['Second'])
      assert.deepEqual(await names(`events?contactId=${ada}`), ['third', 'second', 'first'])
      assert.deepEqual(await names(`contacts/${ada}/events?name=First`), ['first'])
      const { data } = await list('events')
      const at = encodeURIComponent((data[1] as unknown as { firedAt: string }).firedAt)
      assert.deepEqual((await names(`events?after=${at}`)).slice(0, 1), ['third'])
      assert.ok(!(await names(`events?before=${at}`)).includes('third'))
      const first = await list('events?limit=3')
      const second = await list(`events?limit=3&cursor=${first.pagination.nextCursor}`)
      assert.deepEqual([...first.data, ...second.data], data)
      assert.equal(second.pagination.nextCursor, null)
      assert.partialDeepStrictEqual(data[0]!, { contactId: ada, data: { name: 'third' }, source: 'API' })
      // Another workspace has none of them.
      assert.ok((await history('events?limit=100')).every(({ contactId }) => contactId !== ada))
      assert.equal((await service.call('GET', `events?contactId=${ada}`)).refused, '404 contact_not_found')
      assert.equal((await service.call('GET', `contacts/${ada}/events`)).refused, '404 contact_not_found')
    })

    it('are described by name, with their properties and what uses them', async () => {
      const own = await openWorkspace()
      const contactId = await aContact(own)
      const automationId = await anAutomation(own, { name: 'Receipts', triggerConfig: { eventName: 'Order Placed' } })
      const used = [automationId]
      for (const [n, fields] of [
        { exitOn: [{ eventName: 'Order placed' }] },
        { goal: { eventName: 'ORDER PLACED' } },
        {
          steps: [{ type: 'WAIT_FOR_EVENT', eventName: 'order PLACED', timeoutMinutes: 5, received: [], timedOut: [] }],
        },
        { steps: [{ type: 'CONDITION', branches: [{ name: 'A', if: { event: 'ORDER placed' }, steps: [] }] }] },
        {
          steps: [{ type: 'WAIT_FOR_EVENT', eventName: 'x', timeoutMinutes: 5, filter: { event: 'order placed' } }],
        },
      ].entries()) {
        const made = await own.call('POST', 'automations', { name: `Use ${n}`, trigger: 'SIGNUP', ...fields })
        used.push(made.body.data.id as string)
      }
      const condition = { any: [{ not: { event: 'ORDER PLACED' } }, { tag: 'vip' }] }
      const segment = await own.call('POST', 'segments', { name: 'Buyers', condition })
      await anEvent(own, contactId, 'order placed', { total: 5, items: [] })
      await anEvent(own, contactId, 'Order placed', { total: '5', coupon: null })
      await anEvent(own, contactId, 'other')
      const { body } = await own.call('GET', 'events/names')
      assert.deepEqual(body.pagination, { page: 1, limit: 50, total: 2, totalPages: 1 })
      const [other, placed] = body.data as Record<string, unknown>[]
      assert.partialDeepStrictEqual(other, { name: 'other', count: 1, properties: [] })
      const { lastSeenAt, ...rest } = placed!
      assert.deepEqual(rest, {
        name: 'Order placed',
        count: 2,
        properties: [
          { name: 'coupon', types: ['null'] },
          { name: 'items', types: ['array'] },
          { name: 'total', types: ['number', 'string'] },
        ],
        similarTo: null,
        usedBy: {
          automations: used.map((id, n) => ({ id, name: n === 0 ? 'Receipts' : `Use ${n - 1}` })),
          segments: [{ id: segment.body.data.id as string, name: 'Buyers' }],
        },
      })
      assert.ok(new Date(lastSeenAt as string) <= new Date((other as { lastSeenAt: string }).lastSeenAt))
      const page = await own.call('GET', 'events/names?limit=1&page=2')
      assert.deepEqual(
        page.body.data.map(({ name }: { name: string }) => name),
        ['Order placed'],
      )
    })

    it('have names of up to 1,000 characters of four bytes', async () => {
      const contactId = await aContact(service)
      const name = Array.from({ length: 1_000 }, (_, n) => String.fromCodePoint(0x1_f300 + (n % 600))).join('')
      assert.equal((await anEvent(service, contactId, name)).status, 202)
      const [event] = await history(`events?contactId=${contactId}`)
      assert.equal(event?.name, name)
    })

    it('are exported, and erased with the contact', async () => {
      const contactId = await aContact(service)
      await anEvent(service, contactId, 'secret', { what: 'a secret' })
      const { body } = await service.call('GET', `contacts/${contactId}/export`)
      assert.partialDeepStrictEqual(body.data.events, [{ name: 'secret', data: { what: 'a secret' }, source: 'API' }])
      await service.call('DELETE', `contacts/${contactId}`)
      assert.deepEqual(
        await sql(em(), `select from trigger_events where contact_id = $1::uuid or data::text like '%a secret%'`, [
          contactId,
        ]),
        [],
      )
    })

    it('end with the retention of the workspace', async () => {
      const contactId = await aContact(service)
      await anEvent(service, contactId, 'old')
      await anEvent(service, contactId, 'new')
      await sql(
        em(),
        `update trigger_events set created_at = now() - interval '397 days' where contact_id = $1::uuid and name = 'old'`,
        [contactId],
      )
      await deleteOldTriggerEvents(em(), 1_000)
      assert.deepEqual(
        (await eventsOf(contactId)).map(({ name }) => name),
        ['new'],
      )
    })
  })
})
