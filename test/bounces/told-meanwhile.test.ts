import assert from 'node:assert/strict'
import nodemailer from 'nodemailer'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, anAutomation, EMAIL, enroll } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { freePorts } from '../support/ports.ts'
import { startService, type Service } from '../support/service.ts'

const BASIC = 'hook:averylongpassword1234'
const COMPLAINT = [
  'From: <fbl@mx.example.net>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
  '',
  '--b',
  'Content-Type: message/feedback-report',
  '',
  'Feedback-Type: abuse',
  'User-Agent: x/1',
  'Version: 1',
  '--b--',
  '',
].join('\r\n')

describe('a complaint that is told meanwhile', function () {
  this.timeout(30_000)
  let service: Service
  let sink: SmtpSink
  let port: number
  before(async () => {
    sink = await startSmtpSink()
    ;[port = 0] = await freePorts(1)
    service = await startService({
      env: {
        SMTP_URL: sink.url,
        SECRETS_KEY: 'k'.repeat(44),
        BOUNCE_DOMAIN: 'bounces.example.com',
        BOUNCE_PORT: String(port),
        BOUNCE_HOST: '127.0.0.1',
      },
    })
    const { browser } = await aMember(service, 'owner')
    const headers = browser.headers(service.workspaceId)
    const put = await service.call('PUT', 'feedback-sources/postmark', { credential: BASIC }, { key: null, headers })
    assert.equal(put.status, 200)
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })

  const em = () => service.context.orm.em.fork()
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to[0] === address)
  const sentTo = (id: string, count: number) =>
    eventually('it is sent', async () =>
      (await activityOf(service, id)).filter(({ status }) => status === 'SENT').length === count ? true : undefined,
    )
  async function mailed() {
    const contactId = await aContact(service)
    const address = await addressOf(service, contactId)
    const automationId = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, automationId, contactId)
    await sentTo(contactId, 1)
    return { contactId, address, automationId, returnPath: mailsTo(address)[0]!.from }
  }
  type Mailed = Awaited<ReturnType<typeof mailed>>

  let told = 0
  const ways: Record<string, (of: Pick<Mailed, 'address' | 'returnPath'>) => Promise<void>> = {
    'at her return path': async ({ returnPath }) => {
      const client = nodemailer.createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })
      await client.sendMail({ envelope: { from: '', to: [returnPath] }, raw: COMPLAINT })
      client.close()
    },
    'by a provider': async ({ address }) => {
      const answer = await fetch(`http://127.0.0.1:${service.port}/feedback/postmark/${service.workspaceId}`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(BASIC).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ RecordType: 'SpamComplaint', ID: (told += 1), MessageID: 'x', Email: address }),
      })
      assert.equal(answer.status, 200)
    },
  }

  const waiting = (count: number) =>
    eventually(`${count} wait for her`, async () => {
      const text = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return (await sql(em(), text)).length >= count ? true : undefined
    })

  for (const [way, complain] of Object.entries(ways)) {
    it(`${way}, while she is erased, holds for whoever is made of her address`, async () => {
      const of = await mailed()
      const released = Promise.withResolvers<void>()
      const locked = Promise.withResolvers<void>()
      const holding = em().transactional(async (unit) => {
        await sql(unit, 'select from contacts where id = $1::uuid for update', [of.contactId])
        locked.resolve()
        await released.promise
      })
      await locked.promise
      const erased = service.call('DELETE', `contacts/${of.contactId}`)
      await waiting(1)
      const complained = complain(of)
      await waiting(2)
      released.resolve()
      await holding
      assert.equal((await erased).status, 200)
      await complained
      const { id } = (await service.call('POST', 'contacts', { email: of.address })).body.data as { id: string }
      await enroll(service, of.automationId, id)
      const [message] = await eventually('it is settled', async () => {
        const messages = await activityOf(service, id)
        return messages.some(({ status }) => ['SENT', 'SUPPRESSED'].includes(status)) ? messages : undefined
      })
      assert.equal(message!.status, 'SUPPRESSED')
      assert.equal(mailsTo(of.address).length, 1)
    })
  }

  it('of an address that she has no more is answered behind what is handed over to her new one', async () => {
    const of = await mailed()
    await service.call('PATCH', `contacts/${of.contactId}`, { email: `new-${of.address}` })
    const second = await anAutomation(service, { steps: [EMAIL] })
    await enroll(service, second, of.contactId)
    await sentTo(of.contactId, 2)
    const settle = (status: 'SENDING' | 'SENT') =>
      sql(
        em(),
        `update messages set status = $2,
           lease_until = case when $2 = 'SENDING' then now() + interval '1 minute' end,
           recipient = case when $2 = 'SENT' then 'new' end
         where automation_id = $1::uuid`,
        [second, status],
      )
    await settle('SENDING')
    let answered = false
    const complained = ways['by a provider']!(of).then(() => (answered = true))
    await eventually('it is written', async () => {
      const rows = await sql(em(), `select from bounces where workspace_id = $1 and kind = 'COMPLAINT'`, [
        service.workspaceId,
      ])
      return rows.length > 0 ? true : undefined
    })
    // It looks again and again whether that has gone.
    await eventually('it looks at what is handed over', async () => {
      const text = `select from pg_stat_activity where datname = current_database() and query like '%contact_id = any($1::uuid[]) and status = ''SENDING''%'`
      return answered || (await sql(em(), text)).length > 0 ? true : undefined
    })
    assert.equal(answered, false)
    await settle('SENT')
    await complained
    const { suppressedBy } = (await service.call('GET', `contacts/${of.contactId}`)).body.data
    assert.equal(suppressedBy, 'COMPLAINED')
  })
})
