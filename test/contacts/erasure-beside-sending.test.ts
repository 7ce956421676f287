import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { claimMessage, deferMessage } from '../../src/messages/claim-queries.ts'
import { recordOutcome } from '../../src/messages/record-queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { aClaim } from '../support/a-claim.ts'
import { aContact, addressOf, anAutomation, enroll } from '../support/factories.ts'
import { startService, type Service } from '../support/service.ts'

/** What a mail server says of a mailbox, with its address. */
const WORDS = '451 4.2.1 <ada@example.com>: mailbox busy'

describe('an erasure beside an email that is not sent', () => {
  let service: Service
  before(async () => {
    service = await startService({ worker: false })
  })
  after(() => service.stop())

  const em = () => service.context.orm.em.fork()
  const messages = (contactId: string) =>
    sql<{ status: string; error: string | null; recipient: string | null; subject: string | null }>(
      em(),
      'select status, error, recipient, subject from messages where contact_id = $1::uuid',
      [contactId],
    )

  async function anAttempt() {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const { body } = await service.call('GET', `automations/${automationId}`)
    const [row] = await sql<{ id: string }>(em(), 'select id from enrollments where contact_id = $1::uuid', [contactId])
    const key = { enrollmentId: row!.id, stepId: body.data.steps[0].id as string, visit: 0 }
    return { contactId, attempt: aClaim(key, automationId, await addressOf(service, contactId)) }
  }

  it('waits for what is noted of it, and leaves no row', async () => {
    const { contactId, attempt } = await anAttempt()
    const other = new Client({ connectionString: service.context.config.DATABASE_URL })
    await other.connect()
    await other.query('begin')
    // A row of messages waits for its workspace: the statement stands in its middle.
    await other.query('select from workspaces for update')
    const deferred = deferMessage(em(), attempt, WORDS)
    await delay(300)
    const erased = service.call('DELETE', `contacts/${contactId}`)
    await delay(300)
    await other.query('commit')
    await other.end()
    await deferred
    assert.equal((await erased).status, 200)
    assert.deepEqual(await messages(contactId), [])
  })

  it('comes before what is noted of it, which finds nobody', async () => {
    const { contactId, attempt } = await anAttempt()
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    await deferMessage(em(), attempt, WORDS)
    assert.deepEqual(await messages(contactId), [])
  })

  it('keeps none of the server’s words, where the hand-over ends after it', async () => {
    const { contactId, attempt } = await anAttempt()
    const id = await claimMessage(em(), attempt)
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).refused, '503 still_sending')
    await recordOutcome(em(), { id: id!, claim: attempt.claim }, { status: 'DEFERRED', error: WORDS }, undefined)
    // Until the relay comes by, it holds ids alone.
    assert.deepEqual(await messages(contactId), [{ status: 'DEFERRED', error: null, recipient: null, subject: null }])
  })
})
