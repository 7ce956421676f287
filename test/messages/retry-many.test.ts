import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { waitingRetries } from '../../src/messages/read-queries.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, anAutomation, enroll } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import { Retries, runPage, type Listed } from '../support/retries.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { claimStep, stepOf } from '../support/step-claims.ts'

describe('retries of many messages', () => {
  const retries = new Retries()
  const { em, retry, retryAll, newest, becomes, one } = retries

  it('selects messages by status, automation and time, and leaves the others', async () => {
    const automationId = await anAutomation(retries.service)
    const contacts: string[] = []
    retries.sink.behave({ code: 550, text: 'no', at: 'rcpt' })
    for (let n = 0; n < 4; n += 1) {
      const contactId = await aContact(retries.service)
      await enroll(retries.service, n === 3 ? await anAutomation(retries.service) : automationId, contactId)
      contacts.push(contactId)
    }
    const listed = async (query: string) =>
      (await retries.service.call('GET', `messages?${query}`)).body.data as Listed[]
    await eventually('all have failed', async () => ((await listed('status=FAILED')).length === 4 ? true : undefined))
    retries.sink.behave('accept')
    assert.equal((await listed(`status=FAILED&automationId=${automationId}`)).length, 3)
    assert.equal((await listed(`until=2020-01-01T00:00:00Z`)).length, 0)
    // RFC 3339 allows offsets up to 23:59, and Postgres up to 15:59.
    assert.equal((await listed(`since=0001-01-01T00:00:00%2B23:59&until=9999-12-31T23:59:59-23:59`)).length, 4)
    assert.equal(
      (await listed(`since=2020-01-01T00:00:00Z&contactId=email:${await addressOf(retries.service, contacts[0]!)}`))
        .length,
      1,
    )
    const unknown = await retries.service.call('GET', 'messages?contactId=email:nobody@example.com')
    assert.equal(unknown.refused, '404 contact_not_found')
    assert.equal((await listed(`automationId=nothing`)).length, 0)
    for (const wrong of ['since=yesterday', 'until=0000-01-01T00:00:00Z', 'since=2026-02-30', 'status=NONE'])
      assert.equal((await retries.service.call('GET', `messages?${wrong}`)).refused, '400 invalid_request')
    assert.equal((await retryAll({ status: 'UNCONFIRMED' })).refused, '409 delivery_unconfirmed')
    assert.equal((await retryAll({ status: 'SENT' })).refused, '400 invalid_request')
    assert.deepEqual((await retryAll({ status: 'FAILED', automationId })).body.data, { retried: 3, nextCursor: null })
    await eventually('three are sent', async () => ((await listed('status=SENT')).length === 3 ? true : undefined))
    assert.deepEqual(
      (await listed('status=FAILED')).map(({ contactId }) => contactId),
      [contacts[3]],
    )
    const other = await retries.service.newKey()
    const named = { status: 'FAILED', contactId: 'email:nobody@example.com' }
    assert.equal((await retryAll(named)).refused, '404 contact_not_found')
    const theirs = await retries.service.call('GET', `messages?automationId=${automationId}`, undefined, { key: other })
    assert.deepEqual(theirs.body, { data: [], pagination: { limit: 50, nextCursor: null } })
    assert.equal((await retryAll({ status: 'FAILED' }, { key: other })).body.data.retried, 0)
  })

  it('runs in pages when the automation is resumed', async () => {
    const { id, automationId } = await one('FAILED')
    const ids = [id, (await one('FAILED', {}, automationId)).id, (await one('FAILED', {}, automationId)).id].toSorted()
    await retries.service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    await sql(em(), 'update messages set retry_at = now() where id = any($1::uuid[])', [ids])
    const page = async (afterId: string | null) =>
      (await waitingRetries(em(), { automationId }, afterId, 2)).map((message) => message.id)
    assert.deepEqual(await page(null), ids.slice(0, 2))
    assert.deepEqual(await page(ids[1]!), ids.slice(2))
    await retries.service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    const statuses = async () =>
      (await sql<{ status: string }>(em(), 'select status from messages where id = any($1::uuid[])', [ids])).map(
        ({ status }) => status,
      )
    await eventually('all are sent', async () => (await statuses()).every((status) => status === 'SENT') || undefined)
  })

  it('skips the message whose enrollment a DELETE ends concurrently', async () => {
    const other = await one('FAILED')
    const { contactId, automationId } = await one('FAILED', {}, other.automationId)
    // Another transaction writes one of the messages at this moment.
    const commit = await lockWith(em(), 'select from messages where id = $1::uuid for update', [other.id])
    const bulk = retryAll({ status: 'FAILED', automationId })
    await lockWaits(em(), 1, '%set retry_at = coalesce(retry_at, now())%')
    const ended = retries.service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
    await lockWaits(em(), 1, 'select from contacts%for update')
    await commit()
    assert.deepEqual((await bulk).body.data, { retried: 2, nextCursor: null })
    assert.equal((await ended).status, 200)
    assert.equal((await newest(contactId)).retryAt, null)
    await becomes(other.contactId, 'SENT')
    assert.equal((await newest(contactId)).status, 'FAILED')
  })

  it('skips messages of contacts removed in the meantime, even of an earlier enrollment, unless a retry names the message', async () => {
    const { id, contactId, automationId } = await one('FAILED', { onSendFailure: 'STOP' })
    await eventually('the contact is enrolled again', async () =>
      (await enroll(retries.service, automationId, contactId)).body.data.enrolled === true ? true : undefined,
    )
    const end = (ids: { automationId: string; contactId: string }) =>
      retries.service.call('DELETE', `automations/${ids.automationId}/enrollments/${ids.contactId}`)
    assert.equal((await end({ automationId, contactId })).status, 200)
    const bulk = await retryAll({ status: 'FAILED', automationId })
    assert.deepEqual(bulk.body.data, { retried: 0, nextCursor: null })
    assert.equal((await retry(id)).status, 202)

    // The DELETE finds only the pending retry.
    const alone = await one('FAILED', { onSendFailure: 'STOP' })
    retries.sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    assert.equal((await retry(alone.id)).status, 202)
    assert.equal((await end(alone)).status, 200)
    retries.sink.behave('accept')
    const all = await retryAll({ status: 'FAILED', automationId: alone.automationId })
    assert.equal(all.body.data.retried, 0)

    // A message that failed again after its retry has to be named again.
    retries.sink.behave({ code: 550, text: 'still nobody', at: 'rcpt' })
    assert.equal((await retry(alone.id)).status, 202)
    await eventually('it has failed again', async () => {
      const { error, retryAt } = await newest(alone.contactId)
      return (error?.includes('still nobody') && retryAt === null) || undefined
    })
    retries.sink.behave('accept')
    const later = await retryAll({ status: 'FAILED', automationId: alone.automationId })
    assert.equal(later.body.data.retried, 0)
  })
})

describe('a request to retry many messages', () => {
  it('runs each page once', async () => {
    const service = await openWorkspace({ worker: false })
    const em = () => service.context.orm.em.fork()
    const automationId = await anAutomation(service)
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    const { id } = (await claimStep(service, await stepOf(service, automationId, contactId))).message
    await sql(em(), `update messages set status = 'FAILED', lease_until = null where id = $1::uuid`, [id])
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    const columns = 'workspace_id, enrollment_id, automation_id, contact_id, status, attempts, claimed_at, created_at'
    await sql(
      em(),
      `insert into messages (id, claim, step_id, retry_at, ${columns})
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), ${columns} from messages, generate_series(1, 3) n where id = $1::uuid`,
      [id],
    )
    const due = () =>
      sql<{ id: string; generation: number; after_id: string | null; kind: string }>(
        em(),
        `select id::text, generation, after_id, kind from outbox
         where automation_id = $1::uuid or message_id in (select id from messages where automation_id = $1::uuid)`,
        [automationId],
      )
    await service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    const step = async () => {
      const { id: jobId, generation, after_id: afterId } = (await due()).find(({ kind }) => kind === 'WAKE_RETRIES')!
      await runPage(service, { id: jobId, generation, kind: 'WAKE_RETRIES', automationId, afterId })
      const left = await due()
      const at = left.find(({ kind }) => kind === 'WAKE_RETRIES')?.after_id
      return { retries: left.filter(({ kind }) => kind === 'RETRY').length, at }
    }
    const first = await step()
    assert.equal(first.retries, 2)
    assert.ok(first.at)
    assert.deepEqual(await step(), { retries: 3, at: undefined })
    await service.call('DELETE', `automations/${automationId}`)
  })
})
