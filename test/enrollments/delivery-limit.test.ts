import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { startApiWith, type ApiWith } from '../support/api-with.ts'
import { aContact, anAutomation } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const LISTENERS = 12
const EVENTS = 3
/** Maximum number of concurrent deliveries by the requests of a workspace. */
const AT_ONCE = 10

describe('an event that triggers many automations', () => {
  let service: Service
  let api: ApiWith
  const entering: (() => void)[] = []
  let slow = true
  before(async () => {
    service = await openWorkspace({ worker: false })
    const enter = () => (slow ? new Promise<void>((entered) => entering.push(entered)) : Promise.resolve())
    api = await startApiWith(service, { enrollments: { ...service.context.dependencies.enrollments, enter } })
  })
  after(() => api.close())

  const pending = async (which: string) => {
    const [row] = await sql<{ count: number }>(
      service.context.orm.em.fork(),
      `select count(*)::integer as count from outbox where kind = 'START' and workspace_id = $1::uuid and ${which}`,
      [service.workspaceId],
    )
    return row!.count
  }

  it('starts ten enrollments of its workspace at a time, and leaves the rest to the relay immediately', async () => {
    const triggerConfig = { eventName: 'received by many' }
    for (let n = 0; n < LISTENERS; n += 1) await anAutomation(service, { triggerConfig })
    const fire = (contactId: string) => api.send('POST', `contacts/${contactId}/events`, { name: 'received by many' })
    const contacts = await Promise.all(Array.from({ length: EVENTS + 1 }, () => aContact(service)))

    const first = contacts.slice(1).map(fire)
    const rest = LISTENERS * EVENTS - AT_ONCE
    await eventually('the rest is due', async () => ((await pending('due_at <= now()')) === rest ? true : undefined))
    await eventually('the allowed deliveries are running', () => (entering.length === AT_ONCE ? true : undefined))
    slow = false
    for (const entered of entering) entered()
    for (const { status } of await Promise.all(first)) assert.equal(status, 202)
    assert.equal(await pending('true'), rest)

    // The slots are free again.
    assert.equal((await fire(contacts[0]!)).status, 202)
    assert.equal(await pending('true'), rest + LISTENERS - AT_ONCE)
  })

  it('is rejected while tens of thousands of deliveries of its workspace are pending', async () => {
    const contactId = await aContact(service)
    await anAutomation(service, { triggerConfig: { eventName: 'received by many' } })
    await sql(
      service.context.orm.em.fork(),
      `insert into outbox (kind, key, lane, workspace_id, due_at)
       select 'CANCEL', 'waits ' || n, 'interactive', $1::uuid, now() + interval '1 hour' from generate_series(1, 50000) n`,
      [service.workspaceId],
    )
    const { refused, body } = await api.send('POST', `contacts/${contactId}/events`, { name: 'received by many' })
    assert.equal(refused, '503 busy')
    assert.match(body.error ?? '', /Too many enrollments of this workspace are waiting to start/)
    assert.equal((await api.send('POST', 'contacts', { email: 'crowded@example.com' })).refused, '503 busy')
  })
})
