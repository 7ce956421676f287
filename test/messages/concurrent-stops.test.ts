import assert from 'node:assert/strict'
import { recordEnrollment } from '../../src/enrollments/index.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { signLink } from '../../src/signed-links/links.ts'
import { eventually } from '../support/eventually.ts'
import { importRows } from '../support/imports.ts'
import { aContact, addressOf, aList, anAutomation, enroll } from '../support/factories.ts'
import { lockWaits, lockWith } from '../support/locks.ts'
import type { Service } from '../support/service.ts'
import { anAttempt, claimStep, deferStep, look, prepare, stepOf, storeOf } from '../support/step-claims.ts'
import { openWorkspace } from '../support/shared-service.ts'

const SENDING = { status: 'SENDING' } as const
const CONFIRMATION = { type: 'EMAIL', category: 'transactional', subject: 'Confirm', text: '{{ confirmUrl }}' }

describe('attempts to send a message, and concurrent stops', () => {
  let service: Service
  before(async () => {
    service = await openWorkspace({ worker: false })
  })

  const em = () => service.context.orm.em.fork()

  async function aStep(automationId: string) {
    const contactId = await aContact(service)
    await enroll(service, automationId, contactId)
    return { contactId, step: await stepOf(service, automationId, contactId) }
  }

  /** Creates an automation step that asks a contact to confirm a list. */
  async function aConfirmation() {
    const list = await aList(service)
    const fields = { trigger: 'LIST_REQUESTED', triggerConfig: { listId: list }, steps: [CONFIRMATION] }
    const automationId = await anAutomation(service, fields)
    assert.equal((await service.call('PATCH', `lists/${list}`, { doubleOptIn: true })).status, 200)
    const contactId = await aContact(service)
    const email = await addressOf(service, contactId)
    const join = async () => {
      assert.equal((await service.call('POST', 'contacts', { email, listId: list })).status, 200)
      const [event] = await sql<{ id: string }>(
        em(),
        'select id from trigger_events where contact_id = $1::uuid order by created_at desc limit 1',
        [contactId],
      )
      const started = {
        concurrencyKey: '',
        dedupKey: `event:${event!.id}`,
        triggerEventId: event!.id,
        enrolledAt: new Date(),
      }
      await recordEnrollment(em(), { id: newId(), automationId, contactId, ...started })
      return stepOf(service, automationId, contactId)
    }
    return { list, contactId, email, join }
  }

  it('lets only one of two attempts with claims in the same statement succeed', async () => {
    const automationId = await anAutomation(service)
    const [{ step: first }, { step }] = [await aStep(automationId), await aStep(automationId)]
    await deferStep(service, step, '451 later')
    const store = storeOf(service)
    // The first claim is running when the other two arrive, so those two are in one batch.
    const attempts = [await prepare(service, first), await prepare(service, step), await prepare(service, step)]
    const claimed = await Promise.all(attempts.map((message) => store.claim(anAttempt(message), SENDING)))
    assert.deepEqual(claimed, [true, claimed[1], !claimed[1]])
  })

  for (const [how, table] of [
    ['suppressed', 'list_opt_outs'],
    ['removed from the list', 'suppressions'],
  ] as const)
    it(`sends no confirmation email to a contact who was ${how} while it was prepared`, async () => {
      const { list, contactId, email, join } = await aConfirmation()
      const step = await join()
      const release = await lockWith(em(), `lock table ${table} in access exclusive mode`, [])
      const preparing = look(service, step)
      await lockWaits(em())
      const stop =
        table === 'suppressions'
          ? await service.call('DELETE', `lists/${list}/contacts/${contactId}`)
          : await service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
      assert.ok(stop.status < 300)
      await release()
      const prepared = await preparing
      const isSent =
        prepared.kind === 'ready' &&
        prepared.message.suppressedBy === null &&
        (await storeOf(service).claim(anAttempt(prepared.message), SENDING))
      assert.equal(isSent, false)
    })

  it('sends no confirmation email after an import opted the contact out again', async () => {
    const { email, join } = await aConfirmation()
    const optOut = async () => {
      const text = `email\n${email}\n`
      const body = { name: 'x.csv', text, consent: 'UNSUBSCRIBED', start: true }
      await importRows(service, (await service.call('POST', 'imports', body)).body.data.id as string)
    }
    await optOut()
    const attempt = anAttempt(await prepare(service, await join()))
    await optOut()
    assert.equal(await storeOf(service).claim(attempt, SENDING), false)
  })

  it('waits for an email to an address that is suppressed just after its contact got another one', async () => {
    const automationId = await anAutomation(service)
    const { contactId, step } = await aStep(automationId)
    const email = await addressOf(service, contactId)
    const attempt = await claimStep(service, step)
    await service.call('PATCH', `contacts/${contactId}`, { email: `new-${email}` })
    const versionOf = async () => {
      const [row] = await sql<{ version: number }>(
        em(),
        'select consent_version as version from contacts where id = $1::uuid',
        [contactId],
      )
      return row!.version
    }
    const before = await versionOf()
    const suppressed = service.call('POST', 'suppressions', { email, reason: 'UNSUBSCRIBED' })
    await eventually('the request finds the email', async () => (await versionOf()) > before || undefined)
    await storeOf(service).defer(attempt, '451 later', { dueInSeconds: null })
    assert.equal((await suppressed).status, 201)
  })

  for (const by of ['an unsubscribe', 'an erasure', 'an operator'] as const)
    it(`does not deadlock with ${by} that ends its enrollment`, async () => {
      const automationId = await anAutomation(service, { exitOn: [{ event: 'unsubscribed' }] })
      const { contactId, step } = await aStep(automationId)
      const attempt = await claimStep(service, step)
      const stop = async () => {
        if (by === 'an erasure') return (await service.call('DELETE', `contacts/${contactId}`)).status
        if (by === 'an operator')
          return (await service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)).status
        const token = signLink(await readLinkSecret(em()), 'unsubscribe', { contactId, originId: step.enrollmentId })
        const body = new URLSearchParams([['List-Unsubscribe', 'One-Click']])
        return (await fetch(`http://127.0.0.1:${service.port}/unsubscribe/${token}`, { method: 'POST', body })).status
      }
      const enrollment = 'select from enrollments where id = $1::uuid for no key update'
      const release = await lockWith(em(), enrollment, [step.enrollmentId])
      const deferred = storeOf(service).defer(attempt, '451 later', { dueInSeconds: null })
      await lockWaits(em())
      const stopped = stop()
      await lockWaits(em(), 2)
      await release()
      assert.equal(await stopped, 200)
      await deferred
    })

  it('keeps no data of an erased contact in the response stored for a repeated request', async () => {
    const email = 'erased@example.com'
    const contactId = await aContact(service, { email })
    const suppression = { email, reason: 'MANUAL', note: 'Asked by phone' }
    const headers = { 'Idempotency-Key': newId() }
    assert.equal((await service.call('POST', 'suppressions', suppression, { headers })).status, 201)
    assert.equal((await service.call('DELETE', `contacts/${contactId}`)).status, 200)
    const kept = await sql(em(), `select from idempotency_keys where body::text like '%' || $1 || '%'`, [email])
    assert.equal(kept.length, 0)
  })
})
