import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { MAX_TAGS_OF_CONTACT } from '../../src/contacts/contact-limits.ts'
import { MAX_LISTS_OF_CONTACT } from '../../src/lists/membership.ts'
import { aContact, aList } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const TOO_MANY_TAGS = 'A contact must not have more than 250 tags, including its existing ones'
const TOO_MANY_LISTS = 'A contact must not be in more than 1000 lists'

describe('the limits of a contact', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  let made = 0
  const someTags = (count: number) => Array.from({ length: count }, () => `tag ${(made += 1)}`)
  const tag = (id: string, tags: string[]) => service.call('POST', `contacts/${id}/tags`, { tags })
  const tagsOf = async (id: string) => {
    const { body } = await service.call('GET', `contacts/${id}`)
    return (body as { data: { tags: string[] } }).data.tags
  }
  /** Creates a contact with as many tags as allowed, minus `free`. */
  const tagged = async (free: number, email: string) => {
    const id = await aContact(service, { email })
    await sql(
      em(),
      `insert into contact_tags (contact_id, workspace_id, tag_key, name)
       select $1::uuid, $2::uuid, 'old ' || n, 'old ' || n from generate_series(1, $3::integer) n`,
      [id, service.workspaceId, MAX_TAGS_OF_CONTACT - free],
    )
    return id
  }

  it('limits the tags of a contact, no matter which endpoint adds one', async () => {
    const email = 'full@example.com'
    const id = await tagged(1, email)
    const tooMany = await tag(id, someTags(2))
    assert.deepEqual([tooMany.refused, tooMany.body], ['400 too_many_tags', { error: TOO_MANY_TAGS }])
    assert.equal((await tag(id, someTags(1))).status, 200)
    const upserted = await service.call('POST', 'contacts', { email, tags: someTags(1) })
    assert.deepEqual([upserted.refused, upserted.body], ['400 too_many_tags', { error: TOO_MANY_TAGS }])
    // An existing tag does not count again, and a removed tag leaves room.
    assert.equal((await service.call('POST', 'contacts', { email, tags: ['OLD 1'] })).status, 200)
    assert.equal((await service.call('DELETE', `contacts/${id}/tags/old%201`)).status, 200)
    assert.equal((await tag(id, someTags(1))).status, 200)
    assert.equal((await tagsOf(id)).length, MAX_TAGS_OF_CONTACT)
  })

  it('limits the tags of a contact under concurrent requests', async () => {
    const id = await tagged(25, 'race@example.com')
    const answers = await Promise.all(Array.from({ length: 5 }, () => tag(id, someTags(20))))
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400, 400, 400])
    assert.equal((await tagsOf(id)).length, MAX_TAGS_OF_CONTACT - 5)
  })

  it('rejects only the item of a bulk request that has too many tags', async () => {
    const [full, free] = ['bulk-full@example.com', 'bulk-free@example.com']
    await tagged(0, full)
    const contacts = [full, free].map((email) => ({ email, tags: someTags(3) }))
    const { status, body } = await service.call('POST', 'contacts/bulk', { contacts })
    assert.equal(status, 200)
    assert.deepEqual(body.data, { created: 1, updated: 0, failed: 1, errors: [{ index: 0, error: TOO_MANY_TAGS }] })
  })

  it('limits the lists of a contact, no matter which endpoint adds to one', async () => {
    const email = 'everywhere@example.com'
    const id = await aContact(service, { email })
    await sql(
      em(),
      `with made as (
         insert into lists (id, workspace_id, name) select gen_random_uuid(), $2::uuid, 'List ' || n
         from generate_series(1, $3::integer) n returning id
       )
       insert into list_members (list_id, contact_id) select id, $1::uuid from made`,
      [id, service.workspaceId, MAX_LISTS_OF_CONTACT],
    )
    const listId = await aList(service)
    const upserted = await service.call('POST', 'contacts', { email, listId })
    assert.deepEqual([upserted.refused, upserted.body], ['400 too_many_lists', { error: TOO_MANY_LISTS }])
    const joined = await service.call('POST', `lists/${listId}/contacts`, { contactId: id })
    assert.deepEqual([joined.refused, joined.body], ['400 too_many_lists', { error: TOO_MANY_LISTS }])
    const contactIds = [id, await aContact(service)]
    const many = await service.call('POST', `lists/${listId}/contacts`, { contactIds })
    assert.deepEqual([many.status, many.body.data.added], [200, 1])
    assert.deepEqual(many.body.data.errors, [{ index: 0, error: TOO_MANY_LISTS }])
    const bulk = await service.call('POST', 'contacts/bulk', { contacts: [{ email, listId }] })
    assert.deepEqual(bulk.body.data.errors, [{ index: 0, error: TOO_MANY_LISTS }])
  })

  it('has no tag that a URL resolves to its contact, which a trailing slash does not name', async () => {
    const id = await aContact(service)
    for (const name of ['.', '..', ' .. ']) {
      assert.equal((await tag(id, [name])).status, 400, name)
    }
    // What a client that resolves dot segments asks for to remove the tag "..".
    assert.equal((await service.call('DELETE', `contacts/${id}/`)).status, 404)
    assert.equal((await service.call('GET', `contacts/${id}`)).status, 200)
  })
})
