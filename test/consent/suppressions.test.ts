import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('suppressions', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace()
  })

  const suppress = (fields: object) => service.call('POST', 'suppressions', fields)
  const list = async (query = '') =>
    (await service.call('GET', `suppressions${query}`)).body as {
      data: { reason: string }[]
      pagination: { nextCursor: string | null }
    }

  it('creates one suppression for each reason, lists them newest first, and finds them by address regardless of case', async () => {
    const email = 'Grace@Example.com'
    const first = await suppress({ email, note: 'asked by phone' })
    assert.equal(first.status, 201)
    assert.equal(first.body.data.reason, 'MANUAL')
    assert.equal((await suppress({ email: 'grace@example.com' })).body.data.id, first.body.data.id)
    await suppress({ email, reason: 'BOUNCED' })
    const { data, pagination } = await list('?email=GRACE@example.com')
    assert.deepEqual(
      data.map(({ reason }: { reason: string }) => reason),
      ['BOUNCED', 'MANUAL'],
    )
    assert.equal(pagination.nextCursor, null)
    const page = await list('?email=grace@example.com&limit=1')
    const next = await list(`?email=grace@example.com&limit=1&cursor=${page.pagination.nextCursor}`)
    assert.deepEqual([page.data[0]!.reason, next.data[0]!.reason], ['BOUNCED', 'MANUAL'])
  })

  it('deletes one suppression and keeps those with other reasons', async () => {
    const id = await aContact(service, { email: 'lifted@example.com' })
    const by = async () => (await service.call('GET', `contacts/${id}`)).body.data.suppressedBy as string | null
    const manual = (await suppress({ email: 'lifted@example.com' })).body.data.id as string
    const unsubscribe = (await suppress({ email: 'lifted@example.com', reason: 'UNSUBSCRIBED' })).body.data.id as string
    assert.equal(await by(), 'MANUAL')
    assert.equal((await service.call('DELETE', `suppressions/${manual}`)).status, 200)
    assert.equal(await by(), 'UNSUBSCRIBED')
    await service.call('DELETE', `suppressions/${unsubscribe}`)
    assert.equal(await by(), null)
    assert.equal((await service.call('DELETE', `suppressions/${unsubscribe}`)).refused, '404 suppression_not_found')
  })

  it('suppresses an address only in its own workspace', async () => {
    const id = await aContact(service, { email: 'theirs@example.com' })
    const key = await service.newKey()
    await service.call('POST', 'suppressions', { email: 'theirs@example.com' }, { key })
    assert.equal((await service.call('GET', `contacts/${id}`)).body.data.suppressedBy, null)
  })

  it('also stops receipts after a bounce, and ends no enrollment', async () => {
    const receipt = { ...EMAIL, category: 'transactional' }
    const steps = [receipt, { type: 'WAIT_FOR_EVENT', eventName: 'project.created', timeoutMinutes: 60 }, receipt]
    const automationId = await anAutomation(service, { steps, exitOn: [{ event: 'unsubscribed' }] })
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    await eventually('the first email is sent', async () =>
      (await activityOf(service, contactId)).length === 1 ? true : undefined,
    )
    const { email } = (await service.call('GET', `contacts/${contactId}`)).body.data
    await suppress({ email, reason: 'BOUNCED' })
    const { data } = (await service.call('GET', `contacts/${contactId}/enrollments`)).body
    assert.equal(data[0].status, 'ACTIVE')
    await anEvent(service, contactId, 'project.created')
    const second = await eventually('the second email is suppressed', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SUPPRESSED'),
    )
    assert.equal(second.error, 'An earlier email bounced because the mailbox does not exist')
  })

  it('keeps suppressions, but not the address, after an erasure', async () => {
    const contactId = await aContact(service, { email: 'gone@example.com' })
    const { id } = (await suppress({ email: 'gone@example.com', reason: 'UNSUBSCRIBED', note: 'of Gone' })).body.data
    await service.call('DELETE', `contacts/${contactId}`)
    const [kept] = await sql<{ email: string | null; note: string | null }>(
      service.context.orm.em.fork(),
      'select email, note from suppressions where id = $1',
      [id],
    )
    assert.deepEqual(kept, { email: null, note: null })
    const again = await aContact(service, { email: 'gone@example.com' })
    assert.equal((await service.call('GET', `contacts/${again}`)).body.data.suppressedBy, 'UNSUBSCRIBED')
  })

  it('keeps suppressions, but no spelling of a former address, after an erasure', async () => {
    const email = 'Ada@xn--exmple-cua.example.com'
    const contactId = await aContact(service, { email })
    await enroll(service, await anAutomation(service, { steps: [EMAIL] }), contactId)
    await eventually('the email is sent', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SENT'),
    )
    assert.equal((await suppress({ email, reason: 'BOUNCED' })).status, 201)
    await service.call('PATCH', `contacts/${contactId}`, { email: 'ada@new.example.com' })
    await service.call('DELETE', `contacts/${contactId}`)
    const kept = await sql(
      service.context.orm.em.fork(),
      `select from suppressions where email ilike 'ada@%' and workspace_id = $1::uuid`,
      [service.workspaceId],
    )
    assert.equal(kept.length, 0)
  })

  it('returns only the sent fields of a suppression to a key that may not read', async () => {
    await suppress({ email: 'secret@example.com', note: 'a secret' })
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['contacts:write'] })
    const { body } = await service.call('POST', 'suppressions', { email: 'secret@example.com' }, { key })
    assert.deepEqual(Object.keys(body.data).toSorted(), ['email', 'id', 'reason'])
  })
})
