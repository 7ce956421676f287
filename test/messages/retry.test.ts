import assert from 'node:assert/strict'
import type { RunningService } from '../../src/runtime/running-service.ts'
import { agreeOnMail } from '../../src/instance/mail-mode.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { statusAfter } from '../../src/messages/transitions.ts'
import { someLinks } from '../support/links.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { Retries, type Listed } from '../support/retries.ts'
import type { Service } from '../support/service.ts'
import { SENDER } from '../support/npm-start.ts'
import { quietLog } from '../support/log.ts'
import { resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'

describe('a message that somebody has tried again', () => {
  const retries = new Retries()
  const { em, retry, newest, mailsTo, becomes, goRound, one } = retries

  it('is sent, where it FAILED, and its sequence goes on as it did', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    assert.equal(await mailsTo(contactId), 0)
    const asked = await retry(id)
    assert.equal(asked.status, 202)
    assert.partialDeepStrictEqual(asked.body.data, { id, status: 'FAILED' })
    const sent = await becomes(contactId, 'SENT')
    assert.deepEqual([sent.error, await mailsTo(contactId)], [null, 1])
    assert.equal((await retry(id)).refused, '409 message_not_retryable')
    const { body } = await retries.service.call('GET', `automations/${automationId}/enrollments`)
    assert.equal(body.data[0].status, 'ACTIVE')
  })

  it('fails again, with the words of today', async () => {
    const { id, contactId } = await one('FAILED')
    retries.sink.behave({ code: 552, text: 'mailbox full', at: 'rcpt' })
    await retry(id)
    const failed = await eventually('it has failed again', async () => {
      const message = await newest(contactId)
      return message.error?.includes('mailbox full') && message.retryAt === null ? message : undefined
    })
    assert.equal(failed.status, 'FAILED')
  })

  it('is tried until the mail server takes it, and is what it was as long as it does not', async () => {
    const { id, contactId } = await one('FAILED')
    retries.sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await retry(id)
    const put = await eventually('it was put off', async () => {
      const message = await newest(contactId)
      return message.error?.includes('later') ? message : undefined
    })
    assert.equal(put.status, 'FAILED')
    assert.ok(put.retryAt)
    retries.sink.behave('accept')
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 1)
  })

  it('is sent once, however often it is asked for meanwhile', async () => {
    const { id, contactId } = await one('FAILED')
    const answers = await Promise.all(Array.from({ length: 8 }, () => retry(id)))
    assert.ok(answers.some(({ status }) => status === 202))
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 1)
  })

  it('may arrive twice where it is UNCONFIRMED, which has to be allowed', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    const refused = await retry(id)
    assert.equal(refused.refused, '409 delivery_unconfirmed')
    assert.equal(refused.headers.get('x-error-param'), '/evenIfSent')
    assert.equal((await retry(id, { evenIfSent: true })).status, 202)
    await becomes(contactId, 'SENT')
    assert.equal(await mailsTo(contactId), 2)
  })

  it('is delivered where it was CAPTURED and mail is delivered by now, and not where it would be captured again', async () => {
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

  it('is never said to be unsent again where it may have been: not by a capture, and neither is a retry lost by a resend', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    await agreeOnMail(em(), { smtp: true, capture: true })
    assert.equal((await retry(id, { evenIfSent: true })).refused, '409 would_be_captured')
    assert.equal(statusAfter({ before: 'UNCONFIRMED', intent: 'retry' }, 'CAPTURED'), 'UNCONFIRMED')
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

  it('waits while its automation is paused, and nobody asks again and again', async () => {
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

  it('is told to a Temporal that has lost it, by whoever goes round', async () => {
    const { id, contactId } = await one('FAILED')
    await sql(em(), `update messages set retry_at = now() - interval '1 hour' where id = $1::uuid`, [id])
    const [delivery] = await sql<{ id: string; generation: number }>(
      em(),
      `insert into outbox (kind, key, lane) values ('RECONCILE', '', 'walk')
       on conflict (kind, key) do update set after_id = null returning id::text, generation`,
    )
    await goRound({ ...delivery!, kind: 'RECONCILE' })
    await becomes(contactId, 'SENT')
  })

  it('is not tried again where its enrollment is ended meanwhile, also in the middle of an attempt', async () => {
    const { id, contactId, automationId } = await one('FAILED')
    retries.sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    await retry(id)
    await eventually('it was put off', async () =>
      (await newest(contactId)).error?.includes('later') ? true : undefined,
    )
    assert.equal(
      (await retries.service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)).status,
      200,
    )
    const dropped = await newest(contactId)
    assert.deepEqual([dropped.status, dropped.retryAt], ['FAILED', null])
    // Whoever asks behind that has it sent.
    retries.sink.behave('accept')
    assert.equal((await retry(id)).status, 202)
    await becomes(contactId, 'SENT')
  })

  it('that waits, of an enrollment that is over, is ended by the DELETE of the next one, or of nobody', async () => {
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
      assert.equal(
        (await retries.service.call('DELETE', `automations/${automationId}/enrollments/${contactId}`)).status,
        200,
      )
      const { body } = await retries.service.call('GET', `messages?contactId=${contactId}`)
      for (const message of body.data as Listed[]) assert.equal(message.retryAt, null)
      retries.sink.behave('accept')
    }
  })

  it('stays UNCONFIRMED where the second try is refused: the first may have arrived', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    retries.sink.behave({ code: 550, text: 'refused now', at: 'rcpt' })
    await retry(id, { evenIfSent: true })
    const told = await eventually('it was refused', async () => {
      const message = await newest(contactId)
      return message.error?.includes('refused now') ? message : undefined
    })
    assert.deepEqual([told.status, told.retryAt], ['UNCONFIRMED', null])
  })

  it('is none of a deleted automation, of another workspace, or of nobody', async () => {
    const { id, automationId } = await one('FAILED')
    const other = await retries.service.newKey()
    assert.equal((await retry(id, {}, { key: other })).refused, '404 message_not_found')
    assert.equal((await retry(newId())).refused, '404 message_not_found')
    assert.equal((await retry('nobody')).refused, '404 message_not_found')
    assert.equal((await retries.service.call('DELETE', `automations/${automationId}`)).status, 200)
    assert.equal((await retry(id)).refused, '409 message_not_retryable')
  })

  it('is handed over once by a request that is repeated with its Idempotency-Key', async () => {
    const { id, contactId } = await one('UNCONFIRMED')
    const headers = { 'idempotency-key': newId() }
    const ask = () => retry(id, { evenIfSent: true }, { headers })
    const [first] = [await ask()]
    await becomes(contactId, 'SENT')
    // As if the first one's answer had never been kept: its API died behind the commit.
    const again = await ask()
    assert.deepEqual([again.status, again.body], [first.status, first.body])
    assert.equal(await mailsTo(contactId), 2)
  })

  it('keeps the Message-ID and the address of what may have been sent, where it cannot be made once more', async () => {
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
    assert.deepEqual([after.status, after.messageId, after.to], ['UNCONFIRMED', before.messageId, before.to])
  })

  it('that was CAPTURED, and nobody has had, gets the Message-ID of the sender of today', async () => {
    const { id, contactId } = await one('CAPTURED')
    await sql(em(), `update messages set message_id = '<one@localhost.localdomain>' where id = $1::uuid`, [id])
    await retry(id)
    assert.match((await becomes(contactId, 'SENT')).messageId!, /@example\.com>$/)
  })

  it('is UNCONFIRMED where its sender died, and is not sent again by itself', async () => {
    const { id, contactId } = await one('FAILED')
    // As a sender that was killed behind its claim leaves it: what is claimed is not to be tried again any more.
    await sql(
      em(),
      `update messages set status = 'SENDING', claim = gen_random_uuid(), retry_at = null,
         lease_until = now() - interval '2 minutes' where id = $1::uuid`,
      [id],
    )
    const worker: RunningService = await retries.service.startWorker()
    const message = await becomes(contactId, 'UNCONFIRMED')
    assert.match(message.error!, /sender stopped/)
    assert.equal(await mailsTo(contactId), 0)
    await worker.stop()
  })
})
