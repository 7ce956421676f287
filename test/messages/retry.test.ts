import assert from 'node:assert/strict'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { SENDER_STOPPED_ERROR } from '../../src/messages/leases.ts'
import { expireLeases } from '../../src/messages/lease-queries.ts'
import { someLinks } from '../support/links.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { Retries, runPage, type Listed } from '../support/retries.ts'
import type { Service } from '../support/service.ts'
import { SENDER } from '../support/npm-start.ts'
import { quietLog } from '../support/log.ts'
import { resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'

describe('the retry of a message', () => {
  const retries = new Retries()
  const { em, retry, newest, mailsTo, becomes, one } = retries
  afterEach(() => agreeOnMail(em(), { smtp: true, capture: false }))
  const deferred = (contactId: string) =>
    eventually('it was deferred', async () => {
      const message = await newest(contactId)
      return message.error?.includes('later') ? message : undefined
    })
  /** Runs a page of the job that compares the database with Temporal. */
  const reconcile = async () => {
    const [delivery] = await sql<{ id: string; generation: number }>(
      em(),
      `insert into outbox (kind, key, lane) values ('RECONCILE', '', 'batch')
       on conflict (kind, key) do update set after_id = null returning id::text, generation`,
    )
    await runPage(retries.service, { ...delivery!, kind: 'RECONCILE' })
  }

  it('sends a FAILED message, and the enrollment continues', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    assert.equal(await mailsTo(contactId), 0)
    const response = await retry(id)
    assert.equal(response.status, 202)
    assert.partialDeepStrictEqual(response.body.data, { id, status: 'FAILED' })
    const sent = await becomes(contactId, 'SENT')
    assert.deepEqual([sent.error, await mailsTo(contactId)], [null, 1])
    assert.equal((await retry(id)).refused, '409 message_not_retryable')
    const { body } = await retries.service.call('GET', `automations/${automationId}/enrollments`)
    assert.equal(body.data[0].status, 'ACTIVE')
  })

  it('repeats until the mail server accepts the message, which keeps its status until then', async () => {
    const { id, contactId } = await one('FAILED')
    retries.sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await retry(id)
    const { status, retryAt } = await deferred(contactId)
    assert.deepEqual([status, retryAt !== null], ['FAILED', true])
    retries.sink.behave('accept')
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 1)
  })

  it('sends once, no matter how often it is requested in the meantime', async () => {
    const { id, contactId } = await one('FAILED')
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry(id)))
    assert.ok(answers.some(({ status }) => status === 202))
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 1)
  })

  it('sends an UNCONFIRMED message only if a duplicate is allowed', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    const refused = await retry(id)
    assert.equal(refused.refused, '409 delivery_unconfirmed')
    assert.equal(refused.headers.get('x-error-param'), '/evenIfSent')
    assert.equal((await retry(id, { evenIfSent: true })).status, 202)
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 2)
  })

  it('sends a CAPTURED message only if it would not be captured again', async () => {
    const { id, contactId } = await one('CAPTURED')
    await agreeOnMail(em(), { smtp: true, capture: true })
    assert.equal((await retry(id)).refused, '409 would_be_captured')
    await agreeOnMail(em(), { smtp: true, capture: false })
    assert.equal((await retry(id)).status, 202)
    await becomes(contactId, 'SENT')
    const testKey = await retries.service.newKey({ mode: 'test' })
    const its = {
      ...retries.service,
      call: (...of: Parameters<Service['call']>) => retries.service.call(of[0], of[1], of[2], { key: testKey }),
    }
    const inTest = await aContact(its)
    await enroll(its, await anAutomation(its), inTest)
    const captured = await eventually('it is captured', async () => (await activityOf(its, inTest))[0])
    const again = await its.call('POST', `messages/${(captured as unknown as Listed).id}/retry`, {})
    assert.equal(again.refused, '409 would_be_captured')
  })

  it('never marks a message that may have arrived as unsent, whether by a capture or by a resend', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    await agreeOnMail(em(), { smtp: true, capture: true })
    assert.equal((await retry(id, { evenIfSent: true })).refused, '409 would_be_captured')
    const mail = createMail(retries.service.context.config, retries.service.context.orm.em, {
      mailFrom: SENDER,
      links: someLinks,
    })
    const resend = () => resendMessage({ ...mail, em: em(), metrics: noMetrics, log: quietLog }, id)
    await assert.rejects(resend(), { message: /would only capture it/ })
    await agreeOnMail(em(), { smtp: true, capture: false })
    retries.sink.behave({ code: 451, text: '4.3.0 later', at: 'rcpt' })
    assert.equal((await retry(id, { evenIfSent: true })).status, 202)
    assert.equal((await resend()).status, 'UNCONFIRMED')
    retries.sink.behave('accept')
    await becomes(contactId, 'SENT')
    await mail.smtp?.close()
    await mail.renderer.close()
  })

  it('waits while its automation is paused, without polling', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    await retries.service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.equal((await retry(id)).status, 202)
    const handle = retries.service.context.temporal.workflow.getHandle(`retry:${id}`)
    await eventually('its workflow has nothing to do', async () =>
      (await handle.describe()).status.name === 'COMPLETED' ? true : undefined,
    )
    const waits = await newest(contactId)
    assert.equal(waits.status, 'FAILED')
    assert.ok(waits.retryAt)
    assert.equal(await mailsTo(contactId), 0)
    await retries.service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
    await becomes(contactId, 'SENT')
  })

  it('is started again by the batch job after Temporal has lost it', async () => {
    const { id, contactId } = await one('FAILED')
    await sql(em(), `update messages set retry_at = now() - interval '1 hour' where id = $1::uuid`, [id])
    await reconcile()
    await becomes(contactId, 'SENT')
  })

  it('does not run after its enrollment was ended, even in the middle of an attempt', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    retries.sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await retry(id)
    await deferred(contactId)
    const ended = await retries.service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
    assert.equal(ended.status, 200)
    const dropped = await newest(contactId)
    assert.deepEqual([dropped.status, dropped.retryAt], ['FAILED', null])
    // A retry that is requested after that is sent.
    retries.sink.behave('accept')
    assert.equal((await retry(id)).status, 202)
    await becomes(contactId, 'SENT')
  })

  it('is cancelled by a DELETE that ends the next enrollment, or none', async () => {
    for (const entersAgain of [true, false]) {
      const { id, contactId, automationId } = await one('FAILED', { onSendFailure: 'STOP' })
      await retries.service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
      assert.equal((await retry(id)).status, 202)
      await retries.service.call('PATCH', `automations/${automationId}`, { status: 'ARCHIVED' })
      retries.sink.behave({ code: 451, text: 'later', at: 'rcpt' })
      if (entersAgain) {
        await retries.service.call('PATCH', `automations/${automationId}`, { status: 'ACTIVE' })
        await enroll(retries.service, automationId, contactId)
      }
      const ended = await retries.service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)
      assert.equal(ended.status, 200)
      const { body } = await retries.service.call('GET', `messages?contactId=${contactId}`)
      for (const message of body.data as Listed[]) assert.equal(message.retryAt, null)
      retries.sink.behave('accept')
    }
  })

  it('is rejected for a message of a deleted automation', async () => {
    const { id, automationId } = await one('FAILED')
    assert.equal((await retries.service.call('DELETE', `automations/${automationId}`)).status, 200)
    assert.equal((await retry(id)).refused, '409 message_not_retryable')
  })

  it('sends once for a request that is repeated with its Idempotency-Key', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    const headers = { 'idempotency-key': newId() }
    const ask = () => retry(id, { evenIfSent: true }, { headers })
    const first = await ask()
    await becomes(contactId, 'SENT')
    // Simulates an API that died after the commit, before the response was stored.
    const again = await ask()
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    assert.equal(await mailsTo(contactId), 2)
  })

  it('keeps the status, Message-ID and recipient of an email that may have arrived and cannot be rendered again', async () => {
    const template = {
      ...EMAIL,
      text: 'Hi{% if contact.metadata.bad %}{% for i in (1..2000000) %}x{% endfor %}{% endif %}',
    }
    const { id, contactId } = await one('UNCONFIRMED', { steps: [template] })
    const before = await newest(contactId)
    assert.ok(before.messageId && before.to)
    await retries.service.call('PATCH', `contacts/${contactId}`, { metadata: { bad: true } })
    assert.equal((await retry(id, { evenIfSent: true })).status, 202)
    const after = await eventually('it was tried', async () => {
      const message = await newest(contactId)
      return message.error?.startsWith('Template error') ? message : undefined
    })
    const kept = { status: 'UNCONFIRMED', retryAt: null, messageId: before.messageId, to: before.to }
    assert.partialDeepStrictEqual(after, kept)
  })

  it('uses the Message-ID of the current sender for a message that was CAPTURED', async () => {
    const { id, contactId } = await one('CAPTURED')
    await sql(em(), `update messages set message_id = '<one@localhost.localdomain>' where id = $1::uuid`, [id])
    await retry(id)
    assert.match((await becomes(contactId, 'SENT')).messageId!, /@example\.com>$/)
  })

  it('leaves a message UNCONFIRMED if its sender died, and does not send it again automatically', async () => {
    const { id, contactId } = await one('FAILED')
    // Simulates a sender that was killed after its claim: a claimed retry must not be sent again.
    await sql(
      em(),
      `update messages set status = 'SENDING', claim = gen_random_uuid(), retry_at = null,
         lease_until = now() - interval '2 minutes' where id = $1::uuid`,
      [id],
    )
    // As the upkeep of a worker does.
    await expireLeases(em(), { error: SENDER_STOPPED_ERROR, graceSeconds: 60, limit: 1_000 })
    await reconcile()
    const message = await becomes(contactId, 'UNCONFIRMED')
    assert.match(message.error!, /sending process stopped/)
    assert.equal(await mailsTo(contactId), 0)
  })
})
