import assert from 'node:assert/strict'
import { readLostUntil, readRestoredAt } from '../../src/instance/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { withSmallerPages } from '../../src/platform/db/smaller-pages.ts'
import { reconcile } from '../../src/relay/reconcile.ts'
import { markRestored, waiveReconciliation } from '../../src/relay/restored.ts'
import { aContact, activityOf, anAutomation, enroll } from '../support/factories.ts'
import { eventually } from '../support/eventually.ts'
import { startService, type Service } from '../support/service.ts'

describe('mail that is held back behind a restore', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())
  afterEach(() => sql(em(), 'update installation set restored_at = null, lost_until = null, lost_before = null'))

  const em = () => service.context.orm.em.fork()
  const isHeld = async () => (await readRestoredAt(em())) !== null
  /** Of three, one is being sent, and two are to be tried again. */
  async function threeAttempts({ lives = false } = {}) {
    const automationId = await anAutomation(service)
    const contacts = await Promise.all([1, 2, 3].map(() => aContact(service)))
    for (const contactId of contacts) {
      await enroll(service, automationId, contactId)
      await eventually('it is captured', async () =>
        (await activityOf(service, contactId))[0]?.status === 'CAPTURED' ? true : undefined,
      )
    }
    await sql(em(), 'update messages set retry_at = now() where automation_id = $1::uuid', [automationId])
    await sql(
      em(),
      `update messages set status = 'SENDING', retry_at = null, settled_at = null,
         lease_until = now() + make_interval(secs => $2::int)
       where contact_id = $1::uuid`,
      [contacts[0], lives ? 30 : -1],
    )
    const attempts = async () => {
      const rows = await sql<{ id: string; status: string; retry_at: string | null }>(
        em(),
        'select status, retry_at from messages where automation_id = $1::uuid',
        [automationId],
      )
      return rows.map(({ status, retry_at }) => (retry_at === null ? status : 'to be tried')).toSorted()
    }
    return { attempts, automationId, sentTo: `automations/${automationId}/enrollments/${contacts[0]}` }
  }
  const lift = {
    reconciled: (lostUntil?: null) => reconcile(service.context.dependencies, { lostUntil }),
    waived: (lostUntil?: null) => waiveReconciliation(em(), lostUntil),
  }

  it('is also where a backup has no word of its installation', async () => {
    const unit = em()
    const [row] = await sql<{ id: string }>(unit, 'delete from installation returning id')
    await markRestored(unit, { mayLive: false })
    await sql(unit, 'update installation set id = $1::uuid', [row!.id])
    assert.ok(await isHeld())
  })

  it('forgets no loss of a restore before it, whether that was reconciled or not', async () => {
    await markRestored(em(), { mayLive: false })
    await markRestored(em(), { mayLive: false })
    const second = (await readRestoredAt(em()))!
    await waiveReconciliation(em(), null)
    // What the first was copied from may have gone on until then.
    assert.deepEqual(await readLostUntil(em()), second)
    await markRestored(em(), { mayLive: false })
    await waiveReconciliation(em(), null)
    assert.deepEqual(await readLostUntil(em()), second)
  })

  it('believes nobody that what is lost was lost after now', async () => {
    for (const lost of ['2999-01-01', 'infinity', '-infinity']) {
      await sql(em(), 'update installation set lost_until = $1::timestamptz, lost_before = null', [lost])
      await markRestored(em(), { mayLive: false })
      await waiveReconciliation(em(), null)
      const until = await readLostUntil(em())
      assert.ok(until === null || until <= new Date(), String(until))
    }
  })

  for (const [what, goOn] of Object.entries(lift)) {
    it(`goes on when that is ${what}: what was to be tried again, and may have been sent, is left to people`, async () => {
      const { attempts } = await threeAttempts()
      await markRestored(em(), { mayLive: false })
      assert.deepEqual(await attempts(), ['UNCONFIRMED', 'to be tried', 'to be tried'])
      await goOn()
      assert.deepEqual(await attempts(), ['UNCONFIRMED', 'UNCONFIRMED', 'UNCONFIRMED'])
      assert.ok(!(await isHeld()))
    })
    it(`goes on when that is ${what}: where nothing was lost, what was to be tried again is, and at once`, async () => {
      const { attempts, automationId } = await threeAttempts()
      await markRestored(em(), { mayLive: false })
      await service.stopWorkers()
      await goOn(null)
      assert.deepEqual(await attempts(), ['UNCONFIRMED', 'to be tried', 'to be tried'])
      const waking = `select from outbox where kind = 'WAKE_RETRIES' and automation_id = $1::uuid`
      assert.equal((await sql(em(), waking, [automationId])).length, 1)
      await service.startWorker()
    })
  }

  it('leaves what was to be tried again to people where nothing was lost, but by a restore before that', async () => {
    const { attempts: older } = await threeAttempts()
    await markRestored(em(), { mayLive: false })
    // It goes on, and is restored once more.
    await sql(em(), 'update installation set restored_at = null')
    const { attempts: younger } = await threeAttempts()
    await markRestored(em(), { mayLive: false })
    await waiveReconciliation(em(), null)
    assert.deepEqual(await older(), ['UNCONFIRMED', 'UNCONFIRMED', 'UNCONFIRMED'])
    assert.deepEqual(await younger(), ['UNCONFIRMED', 'to be tried', 'to be tried'])
  })

  it('is two questions where its Temporal became another one twice: the first may have been a copy, whose original went on', async () => {
    await markRestored(em(), { mayLive: true })
    await markRestored(em(), { mayLive: true })
    const second = await readRestoredAt(em())
    await waiveReconciliation(em(), null)
    assert.deepEqual(await readLostUntil(em()), second)
  })

  it('leaves to its sender what is being sent by one that lives: a DELETE waits for him', async () => {
    for (const mayLive of [true, false]) {
      const { attempts, sentTo } = await threeAttempts({ lives: true })
      await markRestored(em(), { mayLive })
      assert.ok((await attempts()).includes(mayLive ? 'SENDING' : 'UNCONFIRMED'))
      const { refused, status } = await service.call('DELETE', sentTo)
      assert.equal(refused ?? status, mayLive ? '503 still_sending' : '404 not_enrolled')
      await waiveReconciliation(em(), null)
    }
  })

  it('promises nobody to try anything again', async () => {
    await markRestored(em(), { mayLive: false })
    const bulk = await service.call('POST', 'messages/retry', { status: 'FAILED' })
    assert.equal(bulk.refused, '503 not_reconciled')
  })

  it('stays so where it was restored while it was reconciled', async () => {
    for (const isRestored of [false, true]) {
      if (isRestored) await markRestored(em(), { mayLive: false })
      const { enrollments } = service.context.dependencies
      const listing = {
        ...enrollments,
        async *listRunning() {
          yield* enrollments.listRunning()
          await markRestored(em(), { mayLive: false })
        },
      }
      const dependencies = { ...service.context.dependencies, enrollments: listing as unknown as typeof enrollments }
      assert.equal((await reconcile(dependencies, { lostUntil: null })).mail, 'is held back')
      assert.ok(await isHeld())
      assert.equal((await reconcile(service.context.dependencies, { lostUntil: null })).mail, 'goes on')
    }
  })
})

describe('a page of rows that takes too long', () => {
  const tooLong = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  it('is tried with half of it, until it is one row', async () => {
    const limits: number[] = []
    const run = (most: number) =>
      withSmallerPages(5, (limit) => {
        limits.push(limit)
        return limit > most ? Promise.reject(tooLong) : Promise.resolve(limit)
      })
    assert.equal(await run(2), 2)
    assert.deepEqual(limits, [5, 3, 2])
    await assert.rejects(run(0), tooLong)
  })
  it('fails where that is not why', async () => {
    let calls = 0
    await assert.rejects(
      withSmallerPages(5, () => ((calls += 1), Promise.reject(new Error('syntax')))),
      /syntax/,
    )
    assert.equal(calls, 1)
  })
})
