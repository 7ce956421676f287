import assert from 'node:assert/strict'
import { readSendingGate } from '../../src/instance/sending-gate-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { reconcile } from '../../src/relay/reconcile.ts'
import { enableSending, markRestored } from '../../src/relay/restored.ts'
import { aContact, activityOf, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('an instance that was restored', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())
  afterEach(() => sql(em(), 'update instance set restored_at = null, lost_until = null'))

  const em = () => service.context.orm.em.fork()
  const isOpen = async () => (await readSendingGate(em())).isOpen

  /** Three messages: one is being sent, and two are to be retried. */
  async function withRetries() {
    const automationId = await anAutomation(service)
    const contacts = await Promise.all([1, 2, 3].map(() => aContact(service)))
    for (const contactId of contacts) {
      await enroll(service, automationId, contactId)
      await eventually('it is captured', async () =>
        (await activityOf(service, contactId))[0]?.status === 'CAPTURED' ? true : undefined,
      )
    }
    await sql(em(), 'update messages set retry_at = now() where automation_id = $1::uuid and contact_id <> $2::uuid', [
      automationId,
      contacts[0],
    ])
    await sql(
      em(),
      `update messages set status = 'SENDING', final_at = null, lease_until = now() + interval '30 seconds'
       where contact_id = $1::uuid`,
      [contacts[0]],
    )
    const statuses = async () => {
      const rows = await sql<{ status: string; retry_at: string | null }>(
        em(),
        'select status, retry_at from messages where automation_id = $1::uuid',
        [automationId],
      )
      return rows.map(({ status, retry_at }) => (retry_at === null ? status : 'to be retried')).toSorted()
    }
    return { statuses, automationId }
  }

  it('sends nothing, even if the backup has no row for the instance', async () => {
    const [row] = await sql<{ id: string }>(em(), 'delete from instance returning id')
    await markRestored(em())
    await sql(em(), 'update instance set id = $1::uuid', [row!.id])
    assert.equal(await isOpen(), false)
  })

  for (const [what, enable] of [
    ['reconciled', (lostUntil?: null) => reconcile(service.context.dependencies, { lostUntil })],
    ['waived', (lostUntil?: null) => enableSending(em(), lostUntil)],
  ] as const) {
    it(`makes retries UNCONFIRMED when that is ${what}, because they may have been sent`, async () => {
      const { statuses } = await withRetries()
      await markRestored(em())
      assert.deepEqual(await statuses(), ['UNCONFIRMED', 'to be retried', 'to be retried'])
      await enable()
      assert.deepEqual(await statuses(), ['UNCONFIRMED', 'UNCONFIRMED', 'UNCONFIRMED'])
      assert.equal(await isOpen(), true)
    })

    it(`retries immediately when that is ${what} and nothing was lost`, async () => {
      const { statuses, automationId } = await withRetries()
      await markRestored(em())
      await service.stopWorkers()
      await enable(null)
      assert.deepEqual(await statuses(), ['UNCONFIRMED', 'to be retried', 'to be retried'])
      const waking = `select from outbox where kind = 'WAKE_RETRIES' and automation_id = $1::uuid`
      assert.equal((await sql(em(), waking, [automationId])).length, 1)
      await service.startWorker()
    })
  }

  it('accepts no retries', async () => {
    await markRestored(em())
    const bulk = await service.call('POST', 'messages/retry', { status: 'FAILED' })
    assert.equal(bulk.refused, '503 not_reconciled')
  })

  it('is not changed by a reconciliation that is not needed', async () => {
    const { statuses } = await withRetries()
    const { isSending, wasSending } = await reconcile(service.context.dependencies)
    assert.deepEqual([isSending, wasSending], [true, true])
    assert.deepEqual((await readSendingGate(em())).lostUntil, null)
    assert.ok(!(await statuses()).includes('UNCONFIRMED'))
  })
})
