import assert from 'node:assert/strict'
import { Client } from 'pg'
import { sql } from '../../src/platform/db/sql.ts'
import { stateQuery } from '../../src/sequences/contract.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, anEvent, EMAIL, wait } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

describe('an attempt to record an enrollment', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  it('that comes when it was cancelled long ago puts nobody out who has come in since', async () => {
    const automationId = await anAutomation(service, {
      steps: [EMAIL, wait(60), EMAIL],
      triggerConfig: { eventName: 'late' },
    })
    const contactId = await aContact(service)
    const statuses = async () => {
      const rows = await sql<{ status: string }>(
        service.context.orm.em.fork(),
        'select status from enrollments where contact_id = $1::uuid order by recorded_at, id',
        [contactId],
      )
      return rows.map(({ status }) => status)
    }
    // All that is to be recorded stands still, as in a worker that is frozen, until it is let go.
    const prototype = Client.prototype as unknown as { query: (...of: unknown[]) => Promise<unknown> }
    const { query } = prototype
    const frozen = Promise.withResolvers<void>()
    const late: Promise<unknown>[] = []
    let freezing = true
    prototype.query = async function (this: unknown, ...of) {
      if (!freezing || (of[0] as { name?: string } | undefined)?.name !== 'read-record-state')
        return query.apply(this, of)
      const recorded = frozen.promise.then(() => query.apply(this, of))
      late.push(recorded)
      return recorded
    }
    try {
      await anEvent(service, contactId, 'late')
      await eventually('it is being recorded', () => (late.length > 0 ? true : undefined))
      const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
      await handle.cancel()
      await eventually('it is over', async () =>
        (await handle.describe()).status.name === 'RUNNING' ? undefined : true,
      )
      assert.deepEqual(await statuses(), ['CANCELLED'])
      freezing = false
      await anEvent(service, contactId, 'late')
      await eventually('the next one waits', async () => {
        const state = await handle.query(stateQuery).catch(() => undefined)
        return state?.wakeAt ?? undefined
      })
      frozen.resolve()
      await Promise.allSettled(late)
    } finally {
      prototype.query = query
      frozen.resolve()
    }
    assert.deepEqual(await statuses(), ['CANCELLED', 'ACTIVE'])
    assert.equal((await activityOf(service, contactId)).length, 1)
  })

  it('that is under way when it is cancelled lets nobody in', async () => {
    const em = () => service.context.orm.em.fork()
    const automationId = await anAutomation(service, { triggerConfig: { eventName: 'beside' } })
    const contactId = await aContact(service)
    const countWaiting = async (statement: string) => {
      const [row] = await sql<{ count: number }>(
        em(),
        `select count(*)::integer as count from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`,
        [statement],
      )
      return row!.count > 0 ? true : undefined
    }
    const busy = new Client({ connectionString: service.context.config.DATABASE_URL })
    await busy.connect()
    try {
      await busy.query('begin')
      await busy.query('select from contacts where id = $1 for update', [contactId])
      await anEvent(service, contactId, 'beside')
      await eventually('it is being recorded', () => countWaiting('for key share'))
      const handle = service.context.temporal.workflow.getHandle(`enrollment:${automationId}:${contactId}`)
      await handle.cancel()
      await busy.query('commit')
      await eventually('it is over', async () =>
        (await handle.describe()).status.name === 'RUNNING' ? undefined : true,
      )
    } finally {
      await busy.end()
    }
    const rows = await sql<{ status: string }>(em(), 'select status from enrollments where contact_id = $1::uuid', [
      contactId,
    ])
    assert.deepEqual(rows, [{ status: 'CANCELLED' }])
  })
})
