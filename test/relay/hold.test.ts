import assert from 'node:assert/strict'
import { readRestoredAt, sayReconciled, sayRestored } from '../../src/installation/queries.ts'
import { giveUpAttempts } from '../../src/messages/retry-queries.ts'
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
  afterEach(() => waiveReconciliation(em(), null))

  const em = () => service.context.orm.em.fork()
  const isHeld = async () => (await readRestoredAt(em())) !== null
  /** As it is in a backup: of three, one is being sent, and two are to be tried again. */
  async function threeAttempts(): Promise<() => Promise<(string | undefined)[]>> {
    const automationId = await anAutomation(service)
    const contacts = await Promise.all([1, 2, 3].map(() => aContact(service)))
    for (const contactId of contacts) {
      await enroll(service, automationId, contactId)
      await eventually('it is captured', async () =>
        (await activityOf(service, contactId))[0]?.status === 'CAPTURED' ? true : undefined,
      )
    }
    await sql(em(), `update messages set retry_at = now() + interval '1 hour' where automation_id = $1::uuid`, [
      automationId,
    ])
    await sql(
      em(),
      `update messages set status = 'SENDING', retry_at = null, settled_at = null, lease_until = now() + interval '1 hour'
       where contact_id = $1::uuid`,
      [contacts[0]],
    )
    return async () => {
      const rows = await sql<{ status: string; retry_at: string | null }>(
        em(),
        'select status, retry_at from messages where automation_id = $1::uuid',
        [automationId],
      )
      return rows.map(({ status, retry_at }) => (retry_at === null ? status : 'to be tried'))
    }
  }
  const GIVEN_UP = ['UNCONFIRMED', 'UNCONFIRMED', 'UNCONFIRMED']

  it('is also where a backup has no word of its installation', async () => {
    const unit = em()
    const [row] = await sql<{ id: string }>(unit, 'delete from installation returning id')
    await markRestored(unit)
    await sql(unit, 'update installation set id = $1::uuid', [row!.id])
    assert.ok(await isHeld())
  })

  it('leaves what was being sent to people, in pages', async () => {
    const attempts = await threeAttempts()
    await giveUpAttempts(em(), 'nobody knows', 1)
    assert.deepEqual(await attempts(), GIVEN_UP)
  })

  for (const [what, lift] of [
    ['reconciled', () => reconcile(service.context.dependencies, { lostUntil: null })],
    ['waived', () => waiveReconciliation(em(), null)],
  ] as const) {
    it(`goes on when that is ${what}, and not before all that was being sent is left to people`, async () => {
      const attempts = await threeAttempts()
      // Whoever said it died over the second part.
      await sayRestored(em())
      assert.ok((await attempts()).includes('SENDING'))
      await lift()
      assert.deepEqual(await attempts(), GIVEN_UP)
      assert.ok(!(await isHeld()))
    })
  }

  it('stays so where it was restored while it was reconciled', async () => {
    for (const isRestored of [false, true]) {
      if (isRestored) await markRestored(em())
      const { enrollments } = service.context.dependencies
      const listing = {
        ...enrollments,
        async *listRunning() {
          yield* enrollments.listRunning()
          await markRestored(em())
        },
      }
      const dependencies = { ...service.context.dependencies, enrollments: listing as unknown as typeof enrollments }
      assert.equal((await reconcile(dependencies, { lostUntil: null })).mail, 'is held back')
      assert.ok(await isHeld())
      assert.equal((await reconcile(service.context.dependencies, { lostUntil: null })).mail, 'goes on')
    }
  })

  it('is not lifted while somebody else gives up what was being sent', async () => {
    await markRestored(em())
    await sql(em(), 'update installation set giving_up = true')
    assert.ok((await sayReconciled(em(), await readRestoredAt(em()), null)).isHeld)
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
