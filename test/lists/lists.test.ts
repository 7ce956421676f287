import assert from 'node:assert/strict'
import { aContact, aList } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

describe('lists and tags', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())

  const post = (path: string, body: unknown) => service.call('POST', path, body)
  const get = (path: string) => service.call('GET', path)

  it('are created, listed and read, with the number of contacts in each', async () => {
    const created = await post('lists', { name: 'Newsletter', description: 'Monthly' })
    assert.equal(created.status, 201)
    assert.partialDeepStrictEqual(created.body.data, { name: 'Newsletter', description: 'Monthly', contactCount: 0 })
    const { id } = created.body.data
    assert.deepEqual((await get(`lists/${id}`)).body, created.body)
    const contactId = await aContact(service)
    assert.deepEqual((await post(`lists/${id}/contacts`, { contactId })).body.data, {
      listId: id,
      added: 1,
      alreadyIn: 0,
      failed: 0,
      errors: [],
    })
    assert.equal((await get('lists')).body.data[0].contactCount, 1)
    assert.deepEqual(
      (await get(`lists/${id}/contacts`)).body.data.map((contact: { id: string }) => contact.id),
      [contactId],
    )
    assert.deepEqual((await get(`contacts/${contactId}`)).body.data.listIds, [id])
    assert.equal((await post('lists', {})).body.error, 'name is required')
  })

  it('take up to a thousand contacts in one call, and say which do not exist', async () => {
    const id = await aList(service)
    const contacts = Array.from({ length: 998 }, (_, n) => ({ email: `member-${n}@example.com` }))
    await post('contacts/bulk', { contacts: contacts.map((contact) => ({ ...contact, tags: ['member'] })) })
    const ids: string[] = []
    for (let page = 1; page <= 10; page += 1) {
      const { body } = await get(`contacts?tag=member&limit=100&page=${page}`)
      ids.push(...body.data.map((contact: { id: string }) => contact.id))
    }
    const other = await aContact(service)
    const nobody = '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e'
    const { status, body } = await post(`lists/${id}/contacts`, { contactIds: [...ids, nobody, other] })
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      listId: id,
      added: 999,
      alreadyIn: 0,
      failed: 1,
      errors: [{ index: 998, error: 'Contact not found' }],
    })
    const again = await post(`lists/${id}/contacts`, { contactIds: ids })
    assert.partialDeepStrictEqual(again.body.data, { added: 0, alreadyIn: 998 })
    assert.equal((await get(`lists/${id}`)).body.data.contactCount, 999)
    const many = await post(`lists/${id}/contacts`, { contactIds: Array<string>(1001).fill(nobody) })
    assert.deepEqual(
      [many.refused, many.body.error],
      ['400 invalid_request', 'contactIds array must not exceed 1000 items'],
    )
    assert.equal((await post(`lists/${id}/contacts`, {})).body.error, 'Send either contactId or contactIds')
    assert.equal((await post(`lists/${id}/contacts`, { contactId: nobody })).body.error, 'Contact not found')
  })

  it('are joined by a contact that is written, and left', async () => {
    const id = await aList(service)
    const contactId = await aContact(service, { listId: id })
    assert.equal((await get(`lists/${id}`)).body.data.contactCount, 1)
    await post('contacts', { email: 'capitals@example.com', listId: id.toUpperCase() })
    assert.equal((await get(`lists/${id.toUpperCase()}`)).body.data.contactCount, 2)
    const left = await service.call('DELETE', `lists/${id}/contacts/${contactId}`)
    assert.deepEqual(left.body, { data: { id: contactId, deleted: true } })
    assert.equal((await get(`lists/${id}`)).body.data.contactCount, 1)
    const again = await service.call('DELETE', `lists/${id}/contacts/${contactId}`)
    assert.deepEqual([again.refused, again.body.error], ['404 contact_not_in_list', 'Contact not found in list'])
    for (const listId of ['none', '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e']) {
      const { refused, body } = await post('contacts', { email: 'lost@example.com', listId })
      assert.deepEqual([refused, body.error], ['404 list_not_found', 'List not found in workspace'])
    }
    assert.equal((await get('contacts?email=lost@example.com')).body.pagination.total, 0)
  })

  it('of a bulk call fail with their item', async () => {
    const listId = await aList(service)
    const { body } = await post('contacts/bulk', {
      contacts: [
        { email: 'in-1@example.com', listId, tags: ['A', 'a '] },
        { email: 'in-2@example.com', listId: 'none' },
        { email: 'no' },
      ],
    })
    assert.deepEqual(body.data, {
      created: 1,
      updated: 0,
      failed: 2,
      errors: [
        { index: 1, error: 'List not found in workspace' },
        { index: 2, error: 'Invalid email address' },
      ],
    })
    const { data } = (await get('contacts?email=IN-1@example.com')).body
    assert.deepEqual([data[0].listIds, data[0].tags], [[listId], ['A']])
  })

  it('of contacts are given and taken, compared without case', async () => {
    const key = await service.newKey()
    const own = { ...service, call: ((m, p, b) => service.call(m, p, b, { key })) as Service['call'] }
    const contactId = await aContact(own, { tags: [' VIP '] })
    const other = await aContact(own, { tags: ['vip', 'new'] })
    const { body } = await own.call('POST', `contacts/${contactId}/tags`, { tags: ['vip', 'Ünïcode/ä b'] })
    assert.deepEqual(body.data.tags.toSorted(), ['VIP', 'Ünïcode/ä b'])
    assert.deepEqual((await own.call('GET', 'tags')).body.data, [
      { name: 'new', contactCount: 1 },
      { name: 'VIP', contactCount: 2 },
      { name: 'Ünïcode/ä b', contactCount: 1 },
    ])
    const gone = await own.call('DELETE', `contacts/${contactId}/tags/${encodeURIComponent('ÜNÏCODE/Ä B')}`)
    assert.deepEqual(gone.body, { data: { id: contactId, deleted: true } })
    const none = await own.call('DELETE', `contacts/${contactId}/tags/%00`)
    assert.deepEqual([none.refused, none.body.error], ['404 tag_not_found', 'Contact does not have this tag'])
    const tagged = await own.call('GET', 'contacts?tag=vIp')
    assert.deepEqual(
      tagged.body.data.map((contact: { id: string }) => contact.id),
      [other, contactId],
    )
    const many = await own.call('POST', `contacts/${contactId}/tags`, { tags: [] })
    assert.equal(many.body.error, 'tags must have at least 1 items')
  })
})
