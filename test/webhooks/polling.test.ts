import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { restoreWebhookEvents } from '../../src/webhooks/queries.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { eventually } from '../support/eventually.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

interface Polled {
  events: { id: string; type: string; data: { email: string } }[]
  cursor: string
  isMore: boolean
}

describe('polling events', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()

  /** Creates a workspace with a webhook that is polled. */
  async function aPoller(fields: object = {}) {
    const { id: workspaceId } = await createWorkspace(service.context.orm.em, { name: 'A', mode: 'test' })
    const key = await service.newKey({ workspaceId })
    const call = (method: string, path: string, body?: object) => service.call(method, path, body, { key })
    const { body } = await call('POST', 'webhooks', { events: ['contact.created'], ...fields })
    const id = body.data.id as string
    const poll = async (query: Record<string, string> = {}) => {
      const answer = await call('GET', `webhooks/${id}/events?${new URLSearchParams(query).toString()}`)
      assert.equal(answer.status, 200)
      return answer.body.data as Polled
    }
    return {
      id,
      workspaceId,
      call,
      poll,
      contact: async (email: string, more: object = {}) =>
        (await call('POST', 'contacts', { email, ...more })).body.data.id as string,
      /** Polls until there are events: another test may hold a transaction. */
      some: (query: Record<string, string> = {}) =>
        eventually('there are events', async () => {
          const polled = await poll(query)
          return polled.events.length > 0 ? polled : undefined
        }),
    }
  }
  const emails = ({ events }: Polled) => events.map((event) => event.data.email)

  it('returns the events after a cursor, in order', async () => {
    const { contact, poll } = await aPoller()
    const none = await poll()
    assert.deepEqual([none.events, none.isMore], [[], false])
    for (const name of ['a', 'b', 'c']) await contact(`${name}@example.com`)
    // Another test may hold a transaction, which hides later ones.
    await eventually('all are visible', async () => ((await poll()).events.length === 3 ? true : undefined))
    const first = await poll({ limit: '2' })
    assert.deepEqual([emails(first), first.isMore], [['a@example.com', 'b@example.com'], true])
    const second = await poll({ after: first.cursor })
    assert.deepEqual([emails(second), second.isMore], [['c@example.com'], false])
    const third = await poll({ after: second.cursor })
    assert.deepEqual([third.events, third.cursor], [[], second.cursor])
    assert.deepEqual(emails(await poll({ after: none.cursor })), ['a@example.com', 'b@example.com', 'c@example.com'])
  })

  it('returns only the types of the webhook, with their payload', async () => {
    const { contact, some } = await aPoller({ events: ['contact.updated'] })
    const id = await contact('ada@example.com')
    await contact('ada@example.com', { firstName: 'Ada' })
    const { events } = await some()
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        [
          'contact.updated',
          { id, email: 'ada@example.com', externalId: null, firstName: 'Ada', changed: ['firstName'] },
        ],
      ],
    )
  })

  it('does not miss an event that is committed after a later one', async () => {
    const { workspaceId, poll, contact, some } = await aPoller()
    await contact('before@example.com')
    const { cursor } = await some()
    let commit = () => {}
    const held = new Promise<void>((resolve) => (commit = resolve))
    let inserted = () => {}
    const isInserted = new Promise<void>((resolve) => (inserted = resolve))
    const late = em().transactional(async (unit) => {
      // Not a contact: two sessions may share a counter of contacts, and the other contact would wait for this transaction.
      await sql(
        unit,
        `insert into webhook_events (workspace_id, contact_id, type, data)
         select $1::uuid, id, 'contact.created', jsonb_build_object('id', id, 'email', 'late@example.com', 'externalId', null, 'firstName', null) from gen_random_uuid() id`,
        [workspaceId],
      )
      inserted()
      await held
    })
    await isInserted
    await contact('early@example.com')
    const polled = await poll({ after: cursor })
    commit()
    await late
    const all = emails(polled)
    for (let after = polled.cursor; all.length < 2;) {
      const rest = await some({ after })
      all.push(...emails(rest))
      after = rest.cursor
    }
    assert.deepEqual(all, ['late@example.com', 'early@example.com'])
  })

  it('waits for the next event', async () => {
    const { contact, poll, some } = await aPoller()
    await contact('a@example.com')
    const { cursor } = await some()
    const waiting = poll({ after: cursor, wait: '25' })
    await contact('b@example.com')
    assert.deepEqual(emails(await waiting), ['b@example.com'])
  })

  it('leaves out the events of an erased contact', async () => {
    const { contact, call, some } = await aPoller()
    await contact('a@example.com')
    await call('DELETE', `contacts/${await contact('erased@example.com')}`)
    assert.deepEqual(emails(await some()), ['a@example.com'])
  })

  it('continues after a restore, with a cursor of before', async () => {
    const { contact, poll, some } = await aPoller()
    for (const name of ['a', 'b']) await contact(`${name}@example.com`)
    await eventually('both are visible', async () => ((await poll()).events.length === 2 ? true : undefined))
    const { cursor } = await some({ limit: '1' })
    // In the restored database, transactions have lower numbers.
    await restoreWebhookEvents(em())
    await contact('c@example.com')
    const after = `9${'0'.repeat(15)}.${cursor.split('.')[1]!}`
    await eventually('c is visible', async () => ((await poll()).events.length === 3 ? true : undefined))
    assert.deepEqual(emails(await poll({ after })), ['b@example.com', 'c@example.com'])
  })

  it('rejects an invalid cursor, wait or limit', async () => {
    const { call, id } = await aPoller()
    for (const [query, message] of [
      ['after=1', /must be the cursor/],
      ['after=1.2.3', /must be the cursor/],
      ['wait=26', /wait must be an integer from 0 to 25/],
      ['limit=0', /limit must be an integer from 1 to 100/],
    ] as const) {
      const { status, body } = await call('GET', `webhooks/${id}/events?${query}`)
      assert.equal(status, 400, query)
      assert.match(body.error as string, message)
    }
  })
})
