import assert from 'node:assert/strict'
import { once } from 'node:events'
import { sql } from '../../src/platform/db/sql.ts'
import { createLeaseKeeper, type SendLease } from '../../src/messages/leases.ts'
import { eventually } from '../support/eventually.ts'
import { anAttempt, prepare, stepOf, storeOf } from '../support/step-claims.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

describe('the lease of a message in flight', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  let lease: SendLease
  let claim: string
  const leases = () => createLeaseKeeper(service.context.orm.em, 50)
  afterEach(() => lease.end())

  beforeEach(async () => {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const attempt = anAttempt(await prepare(service, await stepOf(service, automationId, contactId)))
    claim = attempt.claim
    lease = leases().begin(claim)
    const sentAt = performance.now()
    assert.ok(await storeOf(service).claim(attempt, { status: 'SENDING' }))
    lease.claimed(sentAt)
  })

  const change = (to: string) => sql(em(), `update messages set ${to} where claim = $1::uuid`, [claim])
  const isLost = async () => {
    if (!lease.breakOff.aborted) await once(lease.breakOff, 'abort')
    assert.equal(lease.holds(), false)
    assert.match(String(lease.breakOff.reason), /The claim was lost/)
  }

  it('ends immediately when the clock of Postgres has jumped past it', async () => {
    await change(`lease_until = lease_until - interval '1 minute'`)
    await isLost()
  })

  it('ends immediately when the message was finalized', async () => {
    await change(`status = 'UNCONFIRMED'`)
    await isLost()
  })

  it('is renewed while the sender has the claim', async () => {
    const until = async () => {
      const [row] = await sql<{ until: number }>(
        em(),
        'select extract(epoch from lease_until)::float8 as until from messages where claim = $1::uuid',
        [claim],
      )
      return row!.until
    }
    const first = await until()
    await eventually('it is renewed', async () => ((await until()) > first ? true : undefined))
    assert.equal(lease.holds(), true)
    assert.equal(lease.breakOff.aborted, false)
  })
})
