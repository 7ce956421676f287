import assert from 'node:assert/strict'
import { sql } from '../../src/platform/db/sql.ts'
import { anAttempt, prepare, stepOf, storeOf } from '../support/step-claims.ts'
import { aContact, anAutomation, enroll } from '../support/factories.ts'
import { lockWaits } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { openWorkspace } from '../support/shared-service.ts'

const ENDED = 'The enrollment ended before the message could be sent'
/** A response of a mail server that contains the address. */
const WORDS = '451 4.2.1 <ada@example.com>: mailbox busy'

describe('an erasure concurrent with a failed delivery', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()
  const messages = (contactId: string) =>
    sql<{ status: string; error: string | null; recipient: string | null; subject: string | null }>(
      em(),
      'select status, error, recipient, subject from messages where contact_id = $1::uuid',
      [contactId],
    )

  async function aStep() {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service)
    await enroll(service, automationId, contactId)
    const attempt = anAttempt(await prepare(service, await stepOf(service, automationId, contactId)))
    const defer = () => storeOf(service).defer(attempt, WORDS, { dueInSeconds: null })
    return { contactId, attempt, defer }
  }

  it('waits until the deferral is stored, and then deletes the row', async () => {
    const { contactId, defer } = await aStep()
    const { deferred, erased } = await em().transactional(async (unit) => {
      // The insert into messages waits for the workspace row, so the statement is in progress.
      await sql(unit, 'select from workspaces where id = $1::uuid for update', [service.workspaceId])
      const deferred = defer()
      // The log of requests may wait, too.
      await lockWaits(em(), 1, '%insert into messages%')
      const erased = service.call('DELETE', `contacts/${contactId}`)
      await lockWaits(em(), 1, '%insert into audit_entries%')
      return { deferred, erased }
    })
    await deferred
    assert.equal((await erased).refused, undefined)
    assert.deepEqual(await messages(contactId), [])
  })

  it('leaves nothing to a deferral that comes after it', async () => {
    const { contactId, defer } = await aStep()
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    await defer()
    assert.deepEqual(await messages(contactId), [])
  })

  it('stores nothing of the server’s response if transmission ends after it', async () => {
    const { contactId, attempt, defer } = await aStep()
    assert.ok(await storeOf(service).claim(attempt, { status: 'SENDING' }))
    // This waits for the real limit.
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).refused, '503 still_sending')
    await defer()
    // Until the relay deletes the row, it holds only IDs.
    assert.deepEqual(await messages(contactId), [{ status: 'DISMISSED', error: ENDED, recipient: null, subject: null }])
  })
})
