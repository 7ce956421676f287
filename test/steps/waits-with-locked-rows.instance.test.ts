import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import pMap from 'p-map'
import { sql } from '../../src/platform/db/sql.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { eventually } from '../support/eventually.ts'
import { anAutomation, anEvent, EMAIL, enroll } from '../support/factories.ts'
import type { Instance } from '../support/instance.ts'
import { useInstanceAndSink } from '../support/instance-and-sink.ts'
import { lockWith } from '../support/locks.ts'
import type { Answer } from '../support/service.ts'

/** Enrollments. `WAIT_CASES=2000` takes a few minutes. */
const CASES = Number(process.env['WAIT_CASES'] ?? 30)
/** Milliseconds for which a row is locked: longer than a local activity may take, so that two attempts at a step run at once. */
const LOCKED_MS = 6_000

describe('waits for an event whose contacts are locked', () => {
  let service: Instance
  let sink: SmtpSink
  useInstanceAndSink((started) => ({ service, sink } = started))

  it('end with one email each, no matter which of two attempts finishes the step', async function () {
    this.timeout(60_000 + CASES * 1_000)
    const em = service.context.orm.em
    const waits = { type: 'WAIT_FOR_EVENT', eventName: 'paid', timeoutMinutes: 60, received: [EMAIL] }
    const automationId = await anAutomation(service, { steps: [waits] })
    const contacts = Array.from({ length: CASES }, (_, n) => ({ email: `waits-${n}@example.com` }))
    for (let n = 0; n < CASES; n += 500)
      await service.call('POST', 'contacts/bulk', { contacts: contacts.slice(n, n + 500) })
    const found = await sql<{ id: string }>(
      em.fork(),
      'select id from contacts where workspace_id = $1::uuid order by id',
      [service.workspaceId],
    )
    const lock = (table: string, column: string, id: string) =>
      lockWith(em, `select from ${table} where ${column} = $1::uuid for update`, [id])
    // A request that waits for a row too long gets 503 and has changed nothing, so clients send it again.
    const accepted = (what: string, request: () => Promise<Answer>) =>
      eventually(`${what} is accepted`, async () => {
        const { status, body } = await request()
        assert.ok(status === 202 || status === 503, JSON.stringify(body))
        return status === 202 || undefined
      })
    const fire = (id: string) => accepted('the event', () => anEvent(service, id, 'paid'))
    const enter = (id: string) => accepted('the enrollment', () => enroll(service, automationId, id))
    await pMap(
      found.map(({ id }, n) => ({ id, n })),
      async ({ id, n }) => {
        if (n % 10 === 0) {
          // The event arrives while the first attempt waits for the enrollment, which then becomes too slow.
          await enter(id)
          const release = await lock('enrollments', 'contact_id', id)
          await delay(LOCKED_MS / 2)
          const fired = fire(id)
          await delay(LOCKED_MS / 2)
          await release()
          await fired
        } else if (n % 10 === 5) {
          // The enrollment begins too slowly.
          const release = await lock('contacts', 'id', id)
          const enrolled = enter(id)
          await delay(LOCKED_MS)
          await release()
          await enrolled
          await fire(id)
        } else {
          await enter(id)
          // At about the moment at which the step begins to wait.
          await delay(n % 50)
          await fire(id)
        }
      },
      { concurrency: 10 },
    )
    const statuses = await eventually(
      'all have ended',
      async () => {
        const rows = await sql<{ status: string; count: number }>(
          em.fork(),
          'select status, count(*)::integer as count from enrollments where automation_id = $1::uuid group by status',
          [automationId],
        )
        // An accepted enrollment may not have a row yet.
        const total = rows.reduce((sum, { count }) => sum + count, 0)
        return total < CASES || rows.some(({ status }) => status === 'ACTIVE') ? undefined : rows
      },
      60_000 + CASES * 500,
    )
    assert.deepEqual(statuses, [{ status: 'COMPLETED', count: CASES }])
    const mailed = sink.mails.flatMap(({ to }) => to).filter((to) => to.startsWith('waits-'))
    assert.deepEqual(mailed.toSorted(), contacts.map(({ email }) => email).toSorted())
  })
})
