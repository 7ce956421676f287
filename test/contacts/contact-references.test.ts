import assert from 'node:assert/strict'
import { newId } from '../../src/platform/ids.ts'
import { aContact, aList, anAutomation, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { prepare, stepOf } from '../support/step-claims.ts'

describe('a contact addressed by email or externalId', () => {
  let service: Service
  let count = 0
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const call = (...request: Parameters<Service['call']>) => service.call(...request)
  const read = async (path: string) => (await call('GET', `contacts/${path}`)).body.data as Record<string, unknown>
  /** An unused email and externalId. */
  const names = () => ({ email: `own+${(count += 1)}@example.com`, externalId: `own/${count} ü?` })

  it('finds a contact by email or externalId in every path that takes an ID', async () => {
    const { email, externalId } = names()
    const id = await aContact(service, { email, externalId })
    const listId = await aList(service)
    for (const name of [
      `email:${email}`,
      `email:${email.toUpperCase()}`,
      `external:${encodeURIComponent(externalId)}`,
    ]) {
      assert.equal((await read(name)).id, id)
      assert.equal((await call('POST', `contacts/${name}/events`, { name: 'x' })).body.data.contactId, id)
      assert.deepEqual((await call('POST', `contacts/${name}/tags`, { tags: ['own'] })).body.data.tags, ['own'])
      assert.deepEqual((await call('DELETE', `contacts/${name}/tags/own`)).body.data, { id, deleted: true })
      assert.equal((await call('GET', `contacts/${name}/activity`)).status, 200)
      await call('POST', `lists/${listId}/contacts`, { contactId: id })
      assert.deepEqual((await call('DELETE', `lists/${listId}/contacts/${name}`)).body.data, { id, deleted: true })
      assert.equal((await call('PATCH', `contacts/${name}`, { firstName: 'Ada' })).body.data.id, id)
    }
    assert.deepEqual((await call('DELETE', `contacts/email:${email}`)).body.data, { id, deleted: true })
    assert.equal((await call('DELETE', `contacts/email:${email}`)).refused, '404 contact_not_found')
  })

  it('finds no contact by email for a key that may neither read nor write contacts', async () => {
    const { email } = names()
    const listId = await aList(service)
    const id = await aContact(service, { email, listId })
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['lists:write'] })
    const leave = (name: string) => call('DELETE', `lists/${listId}/contacts/${name}`, undefined, { key })
    assert.equal((await leave(`email:${email}`)).refused, '404 contact_not_in_list')
    assert.deepEqual((await leave(id)).body.data, { id, deleted: true })
  })

  it('finds no contact of another workspace by email or externalId', async () => {
    const { email, externalId } = names()
    await aContact(service, { email, externalId })
    const key = await service.newKey()
    for (const name of [`email:${email}`, `external:${encodeURIComponent(externalId)}`]) {
      assert.equal((await call('GET', `contacts/${name}`, undefined, { key })).refused, '404 contact_not_found')
    }
  })

  it('finds no contact by an unknown, empty or impossible name', async () => {
    for (const name of [
      'email:nobody@example.com',
      'email:',
      'email:%00@example.com',
      'external:nobody',
      'external:',
      'external:%00',
      `external:${newId()}`,
      'EMAIL:nobody@example.com',
      'ada@example.com',
    ])
      assert.equal((await call('GET', `contacts/${name}`)).refused, '404 contact_not_found', name)
  })

  it('distinguishes contacts whose IDs, emails and externalIds look alike', async () => {
    const first = await aContact(service, { externalId: 'same@example.com' })
    const second = await aContact(service, { email: 'same@example.com', externalId: first })
    const third = await aContact(service, { externalId: 'email:same@example.com' })
    assert.equal((await read('external:same@example.com')).id, first)
    assert.equal((await read('email:same@example.com')).id, second)
    assert.equal((await read(first)).id, first)
    assert.equal((await read(`external:${first}`)).id, second)
    assert.equal((await read('external:email:same@example.com')).id, third)
  })

  it('keeps its externalId if a later request omits it, and accepts a different one', async () => {
    const { email, externalId } = names()
    const first = await call('POST', 'contacts', { email, externalId })
    assert.equal(first.body.data.externalId, externalId)
    assert.equal((await call('POST', 'contacts', { email })).body.data.externalId, externalId)
    assert.equal((await call('POST', 'contacts', { email, externalId: 'other' })).body.data.externalId, 'other')
    assert.equal(await read(`external:${encodeURIComponent(externalId)}`), undefined)
  })

  it('rejects an externalId that is empty, too long, not a string or cannot be stored', async () => {
    for (const externalId of ['', ' ', 'x'.repeat(201), null, 5, 'a\u0000b']) {
      const { refused } = await call('POST', 'contacts', { email: names().email, externalId })
      assert.equal(refused, '400 invalid_request', JSON.stringify(externalId))
    }
  })

  it('returns 409 for a taken email or externalId, and shows the other contact only to readers', async () => {
    const [one, other] = [names(), names()]
    const id = await aContact(service, one)
    const otherId = await aContact(service, other)
    for (const [param, change] of [
      ['/email', { email: one.email.toUpperCase() }],
      ['/externalId', { externalId: one.externalId }],
    ] as const) {
      const response = await call('PATCH', `contacts/${otherId}`, change)
      assert.equal(response.status, 409)
      assert.equal(response.headers.get('x-error-param'), param)
      assert.equal(response.headers.get('retry-after'), null)
      assert.ok(response.body.error.endsWith(`: ${id}`), response.body.error)
      const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:write'] })
      const hidden = await call('PATCH', `contacts/${otherId}`, change, { key })
      assert.equal(hidden.status, 409)
      assert.ok(!hidden.body.error.includes(id))
    }
    assert.equal((await call('PATCH', `contacts/${newId()}`, { email: one.email })).refused, '404 contact_not_found')
  })

  it('changes the email, names and metadata of a contact separately', async () => {
    const { email, externalId } = names()
    const id = await aContact(service, { email, externalId, firstName: 'Ada', metadata: { a: 1, b: 2 } })
    const change = async (fields: object) => {
      const { status, body } = await call('PATCH', `contacts/${id}`, fields)
      assert.equal(status, 200)
      const { email, externalId, firstName, metadata } = body.data
      assert.deepEqual(await read(id), body.data)
      return { email, externalId, firstName, metadata }
    }
    const next = names().email
    const as = { email: next, externalId, firstName: 'Ada', metadata: { a: 1, b: 2 } }
    assert.deepEqual(await change({ email: ` ${next} ` }), as)
    assert.deepEqual(await change({ metadata: { b: null, c: 3 } }), { ...as, metadata: { a: 1, c: 3 } })
    assert.deepEqual(await change({ externalId: null, firstName: null }), {
      ...as,
      externalId: null,
      firstName: null,
      metadata: { a: 1, c: 3 },
    })
    assert.equal((await call('GET', `contacts/email:${email}`)).refused, '404 contact_not_found')
    assert.equal((await call('PATCH', `contacts/${id}`, {})).refused, '400 nothing_to_update')
    assert.equal((await call('PATCH', `contacts/${id}`, { email: 'x' })).refused, '400 invalid_request')
    const { body } = await call('GET', `contacts?email=${encodeURIComponent(next)}`)
    assert.equal(body.data[0].id, id)
  })

  it('returns only the sent fields to a key that may not read contacts', async () => {
    const id = await aContact(service, { firstName: 'Ada' })
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:write'] })
    const { body } = await call('PATCH', `contacts/${id}`, { externalId: 'said' }, { key })
    assert.deepEqual(body.data, { id, externalId: 'said' })
  })

  it('fails in bulk only for items whose externalId is taken', async () => {
    const [one, other] = [names(), names()]
    await aContact(service, one)
    const contacts = [
      { ...other, externalId: 'bulk 1' },
      { email: names().email, externalId: one.externalId },
      { email: names().email, externalId: 'bulk 1' },
      { ...one, externalId: one.externalId },
    ]
    const { body } = await call('POST', 'contacts/bulk', { contacts })
    const error = 'Another contact has this externalId'
    assert.deepEqual(body.data, {
      created: 1,
      updated: 1,
      failed: 2,
      errors: [
        { index: 1, error },
        { index: 2, error },
      ],
    })
  })

  it('gives an externalId that many concurrent requests write to only one contact', async () => {
    const externalId = 'wanted by many'
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', 'contacts', { email: names().email, externalId })),
    )
    const refused = answers.map((answer) => answer.refused ?? 'written')
    assert.deepEqual(refused.toSorted(), [...Array.from({ length: 19 }, () => '409 external_id_taken'), 'written'])
  })

  it('gets the next email at a changed address', async () => {
    const { email } = names()
    const id = await aContact(service, { email })
    const automationId = await anAutomation(service)
    await enroll(service, automationId, id)
    await call('PATCH', `contacts/email:${email}`, { email: 'after@example.com' })
    assert.equal((await prepare(service, await stepOf(service, automationId, id))).contact.email, 'after@example.com')
  })
})
