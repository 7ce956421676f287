import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, aList, anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Made {
  data: { id: string }
}

describe('segments in the API', () => {
  let own: Service
  let other: Service

  before(async () => {
    own = await openWorkspace({ worker: false })
    other = await openWorkspace({ worker: false })
  })

  const aSegment = async (service: Service, name: string, condition: object): Promise<string> => {
    const made = await service.call('POST', 'segments', { name, condition })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return (made.body as Made).data.id
  }

  describe('counts', () => {
    before(async () => {
      const suppress = async (service: Service, email: string, reason: string) =>
        assert.equal((await service.call('POST', 'suppressions', { email, reason })).status, 201)
      for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
        await aContact(own, { email: `${name}@example.com`, tags: ['counted'] })
        await aContact(other, { email: `${name}@example.com`, tags: ['counted'] })
      }
      await aContact(own, { email: 'untagged@example.com' })
      await suppress(own, 'c@example.com', 'UNSUBSCRIBED')
      await suppress(own, 'd@example.com', 'MANUAL')
      // A contact counts once, under the strongest reason.
      await suppress(own, 'e@example.com', 'UNSUBSCRIBED')
      await suppress(own, 'e@example.com', 'MANUAL')
      await suppress(own, 'untagged@example.com', 'MANUAL')
      await suppress(other, 'a@example.com', 'MANUAL')
      const unconfirmed = `update contacts set unconfirmed = true where workspace_id = $1 and email = any($2)`
      await sql(own.context.orm.em.fork(), unconfirmed, [own.workspaceId, ['f@example.com', 'g@example.com']])
      // A contact in a list counts as confirmed.
      const { body } = await own.call('GET', 'contacts/g@example.com')
      await own.call('POST', `lists/${await aList(own)}/contacts`, { contactId: body.data.id })
    })

    it('counts contacts by whether they get marketing', async () => {
      const { body } = await own.call('POST', 'segments/count', {
        condition: { tag: 'counted' },
        withSubscription: true,
      })
      assert.deepEqual(body.data, {
        contactCount: 7,
        subscription: { subscribed: 3, pending: 1, unsubscribed: 1, suppressed: 2 },
      })
    })

    it('counts none for a condition that no contact matches, and no subscription unasked', async () => {
      const none = await own.call('POST', 'segments/count', { condition: { any: [] }, withSubscription: true })
      assert.deepEqual(none.body.data, {
        contactCount: 0,
        subscription: { subscribed: 0, pending: 0, unsubscribed: 0, suppressed: 0 },
      })
      const plain = await own.call('POST', 'segments/count', { condition: { tag: 'counted' } })
      assert.deepEqual(plain.body.data, { contactCount: 7 })
    })
  })

  describe('uses', () => {
    it('lists automations, campaigns and segments with their role, and those that ended last', async () => {
      const id = await aSegment(own, 'Used', { tag: 'used' })
      const unused = await aSegment(own, 'Unused', { tag: 'used' })
      const condition = { segment: id }
      const within = await aSegment(own, 'Within', { all: [{ not: condition }, condition] })
      const entering = { trigger: 'SEGMENT_ENTERED', triggerConfig: { segmentId: id } }
      // The trigger is named, although a branch refers to the segment, too.
      const branch = { type: 'CONDITION', branches: [{ name: 'In', if: condition, steps: [wait(1)] }], else: [] }
      const starts = await anAutomation(own, { name: 'Starts', ...entering, steps: [EMAIL, branch] })
      const asks = await anAutomation(own, { name: 'Asks', status: 'DRAFT', steps: [EMAIL, wait(5), branch] })
      const gone = await anAutomation(own, { name: 'Gone', status: 'DRAFT', ...entering })
      await own.call('DELETE', `automations/${gone}`)
      const aCampaign = async (name: string, audience: object): Promise<string> =>
        ((await own.call('POST', 'campaigns', { name, subject: 'x', text: 'x', audience })).body as Made).data.id
      const sends = await aCampaign('Sends', { segmentIds: [id] })
      const spares = await aCampaign('Spares', { segmentIds: [unused], exclude: { segmentIds: [id] } })
      const ended = await aCampaign('A campaign', { segmentIds: [id] })
      await sql(own.context.orm.em.fork(), `update campaigns set status = 'SENT' where id = $1`, [ended])

      const expected = [
        { kind: 'AUTOMATION', id: asks, name: 'Asks', status: 'DRAFT', role: 'CONDITION' },
        { kind: 'CAMPAIGN', id: sends, name: 'Sends', status: 'DRAFT', role: 'AUDIENCE' },
        { kind: 'CAMPAIGN', id: spares, name: 'Spares', status: 'DRAFT', role: 'EXCLUSION' },
        { kind: 'AUTOMATION', id: starts, name: 'Starts', status: 'ACTIVE', role: 'TRIGGER' },
        { kind: 'SEGMENT', id: within, name: 'Within', status: null, role: 'CONDITION' },
        { kind: 'CAMPAIGN', id: ended, name: 'A campaign', status: 'SENT', role: 'AUDIENCE' },
      ]
      assert.deepEqual((await own.call('GET', `segments/${id}`)).body.data.usedIn, expected)
      const { body } = await own.call('GET', 'segments?limit=2')
      assert.deepEqual(
        body.data.map(({ name, usedIn }: { name: string; usedIn: unknown }) => [name, usedIn]),
        [
          ['Within', []],
          ['Unused', [{ kind: 'CAMPAIGN', id: spares, name: 'Spares', status: 'DRAFT', role: 'AUDIENCE' }]],
        ],
      )
      const second = await own.call('GET', 'segments?limit=2&page=2')
      assert.deepEqual(second.body.data[0].usedIn, expected)
    })

    it('lists no use of another workspace', async () => {
      const id = await aSegment(own, 'Ours', { tag: 'ours' })
      // No request can refer to a segment of another workspace, but a backup could contain it.
      const audience = JSON.stringify({ segmentIds: [id] })
      const made = await other.call('POST', 'campaigns', { name: 'Theirs', subject: 'x', text: 'x' })
      const foreign = 'update campaigns set audience = $2::jsonb where id = $1'
      await sql(own.context.orm.em.fork(), foreign, [made.body.data.id, audience])
      assert.deepEqual((await own.call('GET', `segments/${id}`)).body.data.usedIn, [])
      assert.equal((await other.call('GET', `segments/${id}`)).refused, '404 segment_not_found')
    })
  })

  describe('a contact', () => {
    let segmentId: string
    let listId: string
    before(async () => {
      listId = await aList(own)
      segmentId = await aSegment(own, 'Checked', {
        all: [
          { metadata: 'plan', is: 'equal', value: 'pro' },
          { any: [{ tag: 'checked vip' }, { segment: await aSegment(own, 'Listed', { list: listId }) }] },
          { not: { field: 'email', is: 'endsWith', value: '@example.net' } },
        ],
      })
    })

    it('is checked against each part of the condition', async () => {
      const metadata = { plan: 'pro' }
      const ada = await aContact(own, { email: 'ada@example.org', metadata, tags: ['Checked VIP'], listId })
      const check = await own.call('GET', `segments/${segmentId}/contacts/ada@example.org`)
      assert.deepEqual(check.body.data, {
        contactId: ada,
        matches: true,
        parts: [
          { path: '', matches: true, decides: true, value: null },
          { path: '/all/0', matches: true, decides: true, value: 'pro' },
          { path: '/all/1', matches: true, decides: true, value: null },
          { path: '/all/1/any/0', matches: true, decides: true, value: null },
          { path: '/all/1/any/1', matches: true, decides: true, value: null },
          { path: '/all/2', matches: true, decides: true, value: null },
          { path: '/all/2/not', matches: false, decides: true, value: 'ada@example.org' },
        ],
      })
    })

    it('is refused by the parts that decide', async () => {
      const bob = await aContact(own, { email: 'bob@example.net', tags: ['checked vip'] })
      const check = await own.call('GET', `segments/${segmentId}/contacts/${bob}`)
      assert.deepEqual(check.body.data, {
        contactId: bob,
        matches: false,
        parts: [
          { path: '', matches: false, decides: true, value: null },
          { path: '/all/0', matches: false, decides: true, value: null },
          { path: '/all/1', matches: true, decides: false, value: null },
          { path: '/all/1/any/0', matches: true, decides: false, value: null },
          { path: '/all/1/any/1', matches: false, decides: false, value: null },
          { path: '/all/2', matches: false, decides: true, value: null },
          { path: '/all/2/not', matches: true, decides: true, value: 'bob@example.net' },
        ],
      })
    })

    it('is not found in another workspace, nor under a segment of one', async () => {
      const theirs = await aContact(other, { email: 'eve@example.org' })
      const theirSegment = await aSegment(other, 'Theirs', { all: [] })
      const check = (contact: string, segment = segmentId) => own.call('GET', `segments/${segment}/contacts/${contact}`)
      assert.equal((await check(theirs)).refused, '404 contact_not_found')
      assert.equal((await check('eve@example.org')).refused, '404 contact_not_found')
      assert.equal((await check('ada@example.org', theirSegment)).refused, '404 segment_not_found')
    })
  })
})
