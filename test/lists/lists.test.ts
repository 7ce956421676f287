import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, aList, anAutomation } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('lists and tags', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const post = (path: string, body: unknown) => service.call('POST', path, body)
  const get = (path: string) => service.call('GET', path)

  it('creates, lists and returns lists with their number of contacts', async () => {
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
      pending: 0,
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

  it('changes the name and description of a list separately', async () => {
    const { body } = await post('lists', { name: 'Newsletter', description: 'Monthly' })
    const { id } = body.data
    const patch = (fields: object, key = service.key) => service.call('PATCH', `lists/${id}`, fields, { key })
    assert.partialDeepStrictEqual((await patch({ name: 'Weekly' })).body.data, {
      name: 'Weekly',
      description: 'Monthly',
    })
    const changed = await patch({ description: null })
    assert.partialDeepStrictEqual(changed.body.data, { name: 'Weekly', description: null })
    assert.ok(changed.body.data.updatedAt > body.data.updatedAt)
    assert.deepEqual((await get(`lists/${id}`)).body, changed.body)
    assert.equal((await patch({})).refused, '400 nothing_to_update')
    assert.equal((await patch({ name: ' ' })).refused, '400 invalid_request')
    const writer = await service.newKey({ workspaceId: service.workspaceId, scopes: ['lists:write'] })
    assert.deepEqual((await patch({ name: 'Daily' }, writer)).body.data, { id, name: 'Daily' })
  })

  it('deletes a list but keeps its contacts', async () => {
    const id = await aList(service)
    const kept = await aContact(service, { listId: id })
    assert.deepEqual((await service.call('DELETE', `lists/${id}`)).body.data, { id, deleted: true })
    assert.equal((await get(`lists/${id}`)).refused, '404 list_not_found')
    assert.deepEqual((await get(`contacts/${kept}`)).body.data.listIds, [])
    assert.equal((await service.call('DELETE', `lists/${id}`)).refused, '404 list_not_found')
  })

  it('deletes a list with several pages of contacts, whose prepared emails are no longer sent', async () => {
    const id = await aList(service)
    await sql(
      em(),
      `with contact as (
         insert into contacts (id, workspace_id, email, email_key)
         select gen_random_uuid(), $1::uuid, 'left-' || n || '@example.com', 'left-' || n || '@example.com'
         from generate_series(1, 5) n returning id
       )
       insert into list_members (list_id, contact_id) select $2::uuid, id from contact`,
      [service.workspaceId, id],
    )
    assert.equal((await get(`lists/${id}`)).body.data.contactCount, 5)
    assert.equal((await service.call('DELETE', `lists/${id}`)).status, 200)
    for (const table of ['list_members', 'list_counters'])
      assert.deepEqual(await sql(em(), `select from ${table} where list_id = $1::uuid`, [id]), [], table)
    const changed = `select from contacts where workspace_id = $1::uuid and email like 'left-%' and consent_version > 0`
    assert.equal((await sql(em(), changed, [service.workspaceId])).length, 5)
  })

  it('returns 404 to requests that wait for the deletion of a list, and fails only the affected items in bulk', async () => {
    const id = await aList(service)
    const contactId = await aContact(service)
    const commit = await lockWith(em(), 'delete from lists where id = $1', [id])
    const contacts = [{ email: 'joins-1@example.com', listId: id }, { email: 'joins-2@example.com' }]
    const joining = Promise.all([
      post(`lists/${id}/contacts`, { contactId }),
      post('contacts', { email: 'joins-3@example.com', listId: id }),
      post('contacts/bulk', { contacts }),
    ])
    await lockWaits(em(), 3)
    await commit()
    const [one, created, bulk] = await joining
    assert.deepEqual([one.refused, created.refused], ['404 list_not_found', '404 list_not_found'])
    const errors = [{ index: 0, error: 'List not found in workspace' }]
    assert.deepEqual(bulk.body.data, { created: 1, updated: 0, failed: 1, errors })
  })

  it('rejects the deletion of a list while an ACTIVE automation is triggered by joining it', async () => {
    const id = await aList(service)
    const automationId = await anAutomation(service, { trigger: 'LIST_ADDED', triggerConfig: { listId: id } })
    assert.equal((await service.call('DELETE', `lists/${id}`)).refused, '409 list_in_use')
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.equal((await service.call('DELETE', `lists/${id}`)).status, 200)
    const resumed = await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    assert.equal(resumed.refused, '400 automation_never_acts')
  })

  it('rejects the deletion of a list that a condition or a step of an automation uses', async () => {
    for (const use of [
      (list: string) => ({ entry: { filter: { list } } }),
      (list: string) => ({ exitOn: [{ condition: { not: { list } } }] }),
      (list: string) => ({ goal: { condition: { list: list.toUpperCase() } } }),
      (list: string) => ({ steps: [{ type: 'CONDITION', branches: [{ name: 'A', if: { list }, steps: [] }] }] }),
      (list: string) => ({ steps: [{ type: 'UPDATE_CONTACT', addToLists: [list] }] }),
    ]) {
      const id = await aList(service)
      const { body } = await post('automations', { name: 'An automation', trigger: 'SIGNUP', ...use(id) })
      assert.equal((await service.call('DELETE', `lists/${id}`)).refused, '409 list_in_use')
      await service.call('DELETE', `automations/${body.data.id}`)
      assert.equal((await service.call('DELETE', `lists/${id}`)).status, 200)
    }
  })

  it('adds up to a thousand contacts per request, and reports those that do not exist', async () => {
    const id = await aList(service)
    const contacts = Array.from({ length: 998 }, (_, n) => ({ email: `member-${n}@example.com` }))
    await post('contacts/bulk', { contacts })
    const members = `select id from contacts where workspace_id = $1::uuid and email like 'member-%'`
    const ids = (await sql<{ id: string }>(em(), members, [service.workspaceId])).map(({ id }) => id)
    const other = await aContact(service)
    const unknownId = '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e'
    const { status, body } = await post(`lists/${id}/contacts`, { contactIds: [...ids, unknownId, other] })
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      listId: id,
      added: 999,
      alreadyIn: 0,
      pending: 0,
      failed: 1,
      errors: [{ index: 998, error: 'Contact not found' }],
    })
    const again = await post(`lists/${id}/contacts`, { contactIds: ids })
    assert.partialDeepStrictEqual(again.body.data, { added: 0, alreadyIn: 998 })
    assert.equal((await get(`lists/${id}`)).body.data.contactCount, 999)
    const many = await post(`lists/${id}/contacts`, { contactIds: Array<string>(1001).fill(unknownId) })
    assert.deepEqual(
      [many.refused, many.body.error],
      ['400 invalid_request', 'contactIds array must not exceed 1000 items'],
    )
    assert.equal((await post(`lists/${id}/contacts`, {})).body.error, 'Send either contactId or contactIds')
    assert.equal((await post(`lists/${id}/contacts`, { contactId: unknownId })).body.error, 'Contact not found')
  })

  it('adds a written contact to a list, and removes them', async () => {
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

  it('fails only the item of a bulk request whose list does not exist', async () => {
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

  it('adds and removes tags, compared without case', async () => {
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
    const removed = await own.call('DELETE', `contacts/${contactId}/tags/${encodeURIComponent('ÜNÏCODE/Ä B')}`)
    assert.deepEqual(removed.body, { data: { id: contactId, deleted: true } })
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
