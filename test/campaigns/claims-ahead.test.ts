import assert from 'node:assert/strict'
import type { Attempt } from '../../src/messages/store.ts'
import { deleteUnusedAhead, expireLeases } from '../../src/messages/index.ts'
import { createMessageStore } from '../../src/runtime/mail.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { anAttempt, aQueuedCampaign, prepareRecipients } from '../support/campaign-claims.ts'
import { aContact } from '../support/factories.ts'
import { REAL_PAGE_SIZES, withPageSizes } from '../support/page-sizes.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'
import { assertCountersMatch } from '../support/stats.ts'

describe('messages that are claimed ahead', () => {
  withPageSizes(REAL_PAGE_SIZES)
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const store = () => createMessageStore(service.context.orm.em)

  /** Queues a campaign to three contacts, which is being sent without a workflow, and claims its messages. */
  async function claimedCampaign() {
    const id = await aQueuedCampaign(service, await Promise.all([1, 2, 3].map(() => aContact(service))))
    const prepare = async () =>
      [...(await prepareRecipients(service, id)).values()].map((message) => anAttempt(message))
    const attempts = (await prepare()) as [Attempt, Attempt, Attempt]
    assert.deepEqual(await store().claimAhead(attempts), new Set(attempts))
    const statuses = () =>
      Promise.all(
        attempts.map(async ({ message }) => {
          const [row] = await sql<{ status: string }>(em(), 'select status from messages where id = $1::uuid', [
            message.id,
          ])
          return row?.status
        }),
      )
    /** The process that claimed them dies, and its leases expire. @returns the messages that are unconfirmed */
    const die = async () => {
      await sql(em(), `update messages set lease_until = now() - interval '1 second' where campaign_id = $1::uuid`, [
        id,
      ])
      return expireLeases(em(), { error: 'It died', campaignId: id, graceSeconds: 0, limit: 10 })
    }
    return { attempts, prepare, statuses, die }
  }
  const unused = async () =>
    (await sql<{ claim: string }>(em(), 'select claim from claims_ahead')).map(({ claim }) => claim)

  it('are sent by another process if theirs dies before it begins, and only the begun one is unconfirmed', async () => {
    const { attempts, prepare, statuses, die } = await claimedCampaign()
    const [first, second] = attempts
    assert.equal(await store().begin(first), true)
    assert.deepEqual(await die(), [first.message.id])
    assert.deepEqual(await statuses(), ['UNCONFIRMED', 'QUEUED', 'QUEUED'])
    assert.equal(await store().begin(second), false, 'the process was only slow, and begins too late')
    const again = await prepare()
    assert.equal(again.length, 2)
    assert.equal((await store().claimAhead(again)).size, 2)
    assert.deepEqual(await statuses(), ['UNCONFIRMED', 'SENDING', 'SENDING'])
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('are queued again seconds after their process died, before the lease of a begun one expires', async () => {
    const { attempts, statuses } = await claimedCampaign()
    assert.equal(await store().begin(attempts[0]), true)
    const expire = () => expireLeases(em(), { error: 'It died', graceSeconds: 0, limit: 10 })
    await expire()
    assert.deepEqual(await statuses(), ['SENDING', 'SENDING', 'SENDING'])
    const later = `update messages set lease_until = lease_until - interval '6 seconds' where id = any($1::uuid[])`
    await sql(em(), later, [attempts.map(({ message }) => message.id)])
    await expire()
    assert.deepEqual(await statuses(), ['SENDING', 'QUEUED', 'QUEUED'])
  })

  it('are queued again if their process releases them, except the begun one', async () => {
    const { attempts, prepare, statuses } = await claimedCampaign()
    assert.equal(await store().begin(attempts[0]), true)
    await store().release(attempts.slice(1))
    assert.deepEqual(await statuses(), ['SENDING', 'QUEUED', 'QUEUED'])
    assert.equal((await prepare()).length, 2)
    await assertCountersMatch(em(), service.workspaceId)
  })

  it('count as begun after a crash of Postgres, which empties the table', async () => {
    const query = `select relpersistence::text from pg_class where relname = 'claims_ahead'`
    assert.deepEqual(await sql(em(), query), [{ relpersistence: 'u' }])
    const { attempts, statuses, die } = await claimedCampaign()
    await sql(em(), 'delete from claims_ahead where claim = any($1::uuid[])', [attempts.map(({ claim }) => claim)])
    assert.deepEqual(new Set(await die()), new Set(attempts.map(({ message }) => message.id)))
    assert.deepEqual(await statuses(), ['UNCONFIRMED', 'UNCONFIRMED', 'UNCONFIRMED'])
  })

  it('are queued again by their living process after a crash of Postgres', async () => {
    const { attempts, statuses } = await claimedCampaign()
    await sql(em(), 'delete from claims_ahead where claim = any($1::uuid[])', [attempts.map(({ claim }) => claim)])
    assert.equal(await store().begin(attempts[0]), false)
    await store().release(attempts)
    assert.deepEqual(await statuses(), ['QUEUED', 'QUEUED', 'QUEUED'])
  })

  it('leave no row behind when they were deferred without beginning', async () => {
    const { attempts } = await claimedCampaign()
    const [first, second] = attempts
    await store().defer(first, 'No connection', { dueInSeconds: 5 })
    assert.ok((await unused()).includes(first.claim))
    await deleteUnusedAhead(em())
    const left = await unused()
    assert.ok(!left.includes(first.claim))
    assert.ok(left.includes(second.claim), 'that of a message in flight stays')
  })
})
