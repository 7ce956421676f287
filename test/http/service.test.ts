import assert from 'node:assert/strict'
import type { ServiceStatus } from '../../src/http/service-status.ts'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { startAnotherApi } from '../support/another-api.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'

describe('the service status', () => {
  let service: Service
  let sink: SmtpSink
  useServiceAndSink((opened) => ({ service, sink } = opened))

  const readStatus = async (of: Service) => {
    const { browser } = await aMember(of, 'viewer')
    const { status, body } = await browser.ask('GET', 'service', { workspaceId: of.workspaceId })
    assert.equal(status, 200)
    return body.data as ServiceStatus
  }

  it('shows members what the service is connected to', async () => {
    // Temporal lists a worker from its first poll.
    const { postgres, temporal, mail } = await eventually('Temporal lists the worker', async () => {
      const status = await readStatus(service)
      return status.temporal.workers === 0 ? undefined : status
    })
    assert.deepEqual(postgres, { isReachable: true })
    assert.partialDeepStrictEqual(temporal, { isReachable: true, namespace: 'default', uiUrl: null, workers: 1 })
    assert.partialDeepStrictEqual(mail, { mode: 'smtp', failure: null })
    assert.match(mail.server!, /^127\.0\.0\.1:\d+$/)
    assert.ok(!JSON.stringify(mail).includes('smtp://'))
  })

  it('shows failures of the mail server, and that no worker runs', async () => {
    const without = await startAnotherApi(service, {
      ...{ SMTP_URL: 'smtp://127.0.0.1:1', TEMPORAL_UI_URL: 'http://temporal.test/' },
      TEMPORAL_TASK_QUEUE: 'without a worker',
    })
    const { temporal, mail } = await readStatus(without)
    await without.stop()
    assert.partialDeepStrictEqual(temporal, { uiUrl: 'http://temporal.test', workers: 0 })
    assert.match(mail.failure!, /ECONNREFUSED/)
  })

  describe('a test email', () => {
    const email = { subject: 'Hello {{ contact.firstName }}', text: 'It is {{ contact.email }}' }
    async function sendMine(body: object = email, of = service) {
      const { browser, email: to } = await aMember(of, 'editor')
      return { to, answer: await browser.ask('POST', 'emails/test', { workspaceId: of.workspaceId, body }) }
    }

    it('sends the member a test email as a contact would get it, without recording a message', async () => {
      const contactId = await aContact(service, { email: 'ada@example.com', firstName: 'Ada' })
      const { to, answer } = await sendMine({ ...email, contactId })
      assert.deepEqual(answer.body.data, { to, status: 'SENT', error: null })
      const [mine, ...more] = sink.mails.filter((mail) => mail.to.includes(to))
      assert.deepEqual(more, [])
      assert.match(mine!.headers, /^Subject: \[Test\] Hello Ada\r?$/m)
      assert.match(mine!.body, /It is ada@example.com/)
      assert.deepEqual((await service.call('GET', 'messages')).body.data, [])
    })

    it('returns the response of the mail server if it rejects the test email', async () => {
      sink.behave({ code: 550, text: '5.7.1 Not from here', at: 'rcpt' })
      const { answer } = await sendMine()
      assert.equal(answer.body.data.status, 'FAILED')
      assert.match(answer.body.data.error, /Not from here/)
    })

    it('returns 400 if the test email cannot be rendered', async () => {
      const { answer } = await sendMine({ subject: '{% if %}' })
      assert.equal(answer.refused, '400 invalid_template')
    })

    it('captures the test email if the process captures mail', async () => {
      const capturing = await startAnotherApi(service, { SMTP_URL: undefined })
      const { answer } = await sendMine(email, capturing)
      await capturing.stop()
      assert.equal(answer.body.data.status, 'CAPTURED')
    })
  })
})
