import assert from 'node:assert/strict'
import { fireShared } from '../../src/events/shared-events.ts'
import { newCall } from '../../src/platform/call.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aContact, anAutomation, EMAIL, wait } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('events of concurrent requests', () => {
  let service: Service
  let other: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
    other = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const post = (to: Service, contactId: string, name: string, headers: Record<string, string> = {}) =>
    to.call('POST', `contacts/${contactId}/events`, { name, data: { of: contactId } }, { headers })
  const transactionsOf = async (name: string) => {
    const rows = await sql<{ xmin: string }>(em(), 'select distinct xmin::text from trigger_events where name = $1', [
      name,
    ])
    return rows.length
  }

  it('share transactions, and each has its own result, audit entry and request', async () => {
    const automationId = await anAutomation(service, {
      triggerConfig: { eventName: 'together' },
      steps: [wait(60), EMAIL],
    })
    const contacts = await Promise.all(Array.from({ length: 30 }, () => aContact(service)))
    const unknown = newId()
    const theirs = await aContact(other)
    // The first contact sends two events. Contacts that do not exist, or are of another workspace, do not affect the others.
    const asked = [...contacts, contacts[0]!, unknown, theirs]
    const answers = await Promise.all([
      ...asked.map((contactId) => post(service, contactId, 'together')),
      post(other, theirs, 'together'),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...asked.map((id) => (id === unknown || id === theirs ? 404 : 202)), 202],
    )
    const results = answers
      .slice(0, 31)
      .map(({ body }) => [body.data.started.length as number, body.data.alreadyEnrolled.length as number])
    assert.deepEqual(
      results.slice(1, 30),
      Array.from({ length: 29 }, () => [1, 0]),
    )
    assert.deepEqual([results[0], results[30]].toSorted(), [
      [0, 1],
      [1, 0],
    ])
    assert.equal(answers.at(-1)!.body.data.matchingAutomations, 0)
    const stored = await sql<{ contact_id: string; data: { of: string }; request_id: string }>(
      em(),
      `select contact_id, data, request_id from trigger_events where workspace_id = $1::uuid and name = 'together'`,
      [service.workspaceId],
    )
    assert.equal(stored.length, 31)
    for (const { contact_id, data } of stored) assert.equal(data.of, contact_id)
    const requests = new Set(stored.map(({ request_id }) => request_id))
    assert.equal(requests.size, 31)
    const audited = await sql<{ target_id: string; request_id: string }>(
      em(),
      `select target_id, request_id from audit_entries where workspace_id = $1::uuid and operation = 'fireEvent'`,
      [service.workspaceId],
    )
    assert.deepEqual(
      audited.map(({ target_id, request_id }) => `${target_id} ${request_id}`).toSorted(),
      stored.map(({ contact_id, request_id }) => `${contact_id} ${request_id}`).toSorted(),
    )
    assert.ok((await transactionsOf('together')) < 20, 'the requests share transactions')
    const starts = `select from outbox where kind = 'START' and automation_id = $1::uuid`
    const running = `select from enrollments where automation_id = $1::uuid`
    assert.ok(
      (await sql(em(), starts, [automationId])).length + (await sql(em(), running, [automationId])).length <= 30,
    )
  })

  it('are stored alone if one of them cannot be stored', async () => {
    const contacts = await Promise.all([1, 2, 3].map(() => aContact(service)))
    const fire = (contactId: string, data: unknown) =>
      fireShared(
        service.context.dependencies,
        service.workspaceId,
        contactId,
        { name: 'alone', data, source: 'API' },
        newCall(),
      )
    // The first one occupies the writer, so that the others share a transaction. Postgres rejects a lone surrogate in JSON.
    const results = await Promise.allSettled([
      fire(contacts[0]!, {}),
      fire(contacts[0]!, {}),
      fire(contacts[1]!, { text: '\ud800' }),
      fire(contacts[2]!, {}),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
  })

  it('happen once if a request is repeated with its Idempotency-Key', async () => {
    const contactId = await aContact(service)
    const headers = { 'Idempotency-Key': newId() }
    const [first, second] = [
      await post(service, contactId, 'repeated', headers),
      await post(service, contactId, 'repeated', headers),
    ]
    assert.deepEqual(second.body, first.body)
    const count = async (text: string) => (await sql(em(), text, [contactId])).length
    assert.equal(await count(`select from trigger_events where contact_id = $1::uuid and name = 'repeated'`), 1)
    assert.equal(await count(`select from audit_entries where target_id = $1::uuid and operation = 'fireEvent'`), 1)
  })
})
