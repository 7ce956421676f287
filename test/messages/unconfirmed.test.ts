import { instanceIdOf } from '../../src/instance/temporal-namespace.ts'
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { ApplicationFailure } from '@temporalio/common'
import { MockActivityEnvironment } from '@temporalio/testing'
import { sendEmail } from '../../activities/send-email.ts'
import { createMail } from '../../src/runtime/mail.ts'
import { endActive } from '../../src/enrollments/queries.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { newId } from '../../src/platform/ids.ts'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import { noMetrics } from '../../src/outbox/dependencies.ts'
import { dismissMessage, listUnconfirmed, resendMessage } from '../../src/messages/unconfirmed-messages.ts'
import { anAttempt, deferStep, prepare, stepOf, storeOf } from '../support/step-claims.ts'
import { someLinks } from '../support/links.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, anAutomation, enroll } from '../support/factories.ts'
import { quietLog } from '../support/log.ts'
import { SENDER } from '../support/npm-start.ts'
import { startScriptedSmtp } from '../support/scripted-smtp.ts'
import type { Service } from '../support/service.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

describe('a deferred or unconfirmed message', () => {
  let service: Service
  let sink: SmtpSink
  let mail: ReturnType<typeof createMail<string>>
  after(async () => {
    await sql(em(), 'update instance set mail = null')
    await mail.smtp?.close()
    await mail.renderer.close()
  })
  useServiceAndSink((started) => ({ service, sink } = started), { worker: false })
  before(async () => {
    await sql(em(), `update instance set mail = 'smtp'`)
    mail = createMail(service.context.config, service.context.orm.em, { mailFrom: SENDER, links: someLinks })
  })

  const em = () => service.context.orm.em.fork()
  const listed = async (id: string) => (await listUnconfirmed(em())).filter((message) => message.id === id)
  const resend = (id: string) => resendMessage({ ...mail, em: em(), metrics: noMetrics, log: quietLog }, id)

  /** Creates a message that was deferred for hours, as after an outage of the mail server. */
  async function aDeferred(fields: object = {}) {
    const contactId = await aContact(service)
    const automationId = await anAutomation(service, fields)
    await enroll(service, automationId, contactId)
    const key = await stepOf(service, automationId, contactId)
    const { id } = (await deferStep(service, key, 'connection refused')).message
    await sql(em(), `update messages set claimed_at = now() - interval '3 hours' where id = $1::uuid`, [id])
    const address = await addressOf(service, contactId)
    const status = async () => (await activityOf(service, contactId))[0]?.status
    const mails = () => sink.mails.filter(({ to }) => to[0] === address)
    return { id, key, automationId, contactId, enrollmentId: key.enrollmentId, status, mails }
  }

  it('fails its attempts as expected: the SDK logs that for debugging only', async () => {
    const { key, automationId, status } = await aDeferred()
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    const instance = instanceIdOf(em())
    const sendRequest = () => Promise.reject(new Error('Not a webhook'))
    const own = { instance, connections: 5, sendRequest }
    const whole = service.context.dependencies
    const dependencies = { ...whole, ...mail, em: em(), metrics: noMetrics, log: quietLog, ...own }
    const ids = { workspaceId: service.workspaceId, instanceId: await instance() }
    const input = { ...key, automationId, ...ids }
    const attempt = new MockActivityEnvironment().run(() => sendEmail(dependencies, input))
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof ApplicationFailure)
      assert.deepEqual([error.type, error.category, error.nonRetryable], ['Deferred', 'BENIGN', false])
      return true
    })
    sink.behave('accept')
    assert.equal(await status(), 'DEFERRED')
  })

  it('is sent by its enrollment, no matter how late, and needs no decision by an operator', async () => {
    const { id, automationId, status, mails } = await aDeferred()
    for (const next of ['ACTIVE', 'PAUSED']) {
      await service.call('PATCH', `automations/${automationId}`, { status: next })
      assert.deepEqual(await listed(id), [])
      await assert.rejects(resend(id), /is DEFERRED: it was certainly not sent, and its automation tries it again/)
      await assert.rejects(dismissMessage(em(), id), /is DEFERRED/)
      assert.equal(await status(), 'DEFERRED')
    }
    assert.deepEqual(mails(), [])
  })

  it('is rejected with an unknown or invalid ID before the configuration is checked', async () => {
    const dependencies = { ...mail, smtp: undefined, em: em(), metrics: noMetrics, log: quietLog }
    await assert.rejects(resendMessage(dependencies, 'nonsense'), /There is no unconfirmed message nonsense/)
    await assert.rejects(resendMessage(dependencies, newId()), /There is no unconfirmed message/)
  })

  it('stays DEFERRED until the mail server waits for the content, even if its next sender dies', async () => {
    const { id, enrollmentId, status } = await aDeferred()
    await endActive(em(), enrollmentId, 'CANCELLED', { cause: 'WORKFLOW_ENDED' })
    let socket: Socket | undefined
    const silent = await startScriptedSmtp({
      answer(command, from) {
        if (!command.startsWith('RCPT')) return undefined
        socket = from
        return null
      },
    })
    const smtp = createSmtpTransport({ server: readSmtpUrl(silent.url) })
    const sending = resendMessage({ ...mail, smtp, em: em(), metrics: noMetrics, log: quietLog }, id)
    await eventually('it is in flight', () => socket)
    assert.equal(await status(), 'DEFERRED')
    socket!.destroy()
    assert.equal((await sending).status, 'DEFERRED')
    assert.equal(await status(), 'DEFERRED')
    await dismissMessage(em(), id)
    await smtp.close()
    await silent.close()
  })

  it('keeps its Message-ID when it is sent again, even if the sender has changed', async () => {
    const { id, enrollmentId, mails } = await aDeferred()
    await endActive(em(), enrollmentId, 'CANCELLED', { cause: 'WORKFLOW_ENDED' })
    await sql(
      em(),
      `update messages set status = 'UNCONFIRMED', message_id = '<one@before.example>' where id = $1::uuid`,
      [id],
    )
    assert.equal((await resend(id)).status, 'SENT')
    assert.match(mails()[0]!.headers, /^Message-ID: <one@before\.example>/im)
  })

  it('has the Message-ID from the mail server’s log if its sending process died', async () => {
    const { key, contactId, id, status } = await aDeferred()
    const header = '<one@example.com>'
    assert.ok(await storeOf(service).claim(anAttempt(await prepare(service, key), header), { status: 'SENDING' }))
    await sql(em(), `update messages set lease_until = now() - interval '1 hour' where id = $1::uuid`, [id])
    assert.equal((await listed(id))[0]?.messageId, header)
    const [{ messageId } = { messageId: '' }] = await activityOf(service, contactId)
    assert.deepEqual([messageId, await status()], [header, 'SENDING'])
    await dismissMessage(em(), id)
  })

  it('is sent on an operator’s request while its automation is paused', async () => {
    const { id, enrollmentId, automationId, status, mails } = await aDeferred()
    await endActive(em(), enrollmentId, 'CANCELLED', { cause: 'WORKFLOW_ENDED' })
    await service.call('PATCH', `automations/${automationId}`, { status: 'PAUSED' })
    assert.equal((await resend(id)).status, 'SENT')
    assert.deepEqual([await status(), mails().length], ['SENT', 1])
  })

  it('needs an operator’s decision after its enrollment has ended, and is still known to be unsent', async () => {
    const { id, enrollmentId, status, mails } = await aDeferred()
    await endActive(em(), enrollmentId, 'CANCELLED', { cause: 'WORKFLOW_ENDED' })
    assert.deepEqual(
      (await listed(id)).map((message) => message.status),
      ['DEFERRED'],
    )
    sink.behave({ code: 451, text: 'later', at: 'rcpt' })
    assert.deepEqual(await resend(id), { status: 'DEFERRED', error: '451 later' })
    assert.equal(await status(), 'DEFERRED')
    sink.behave('accept')
    assert.equal((await resend(id)).status, 'SENT')
    assert.equal(mails().length, 1)
    assert.deepEqual(await listed(id), [])
  })
})
