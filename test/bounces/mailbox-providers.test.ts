import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import nodemailer from 'nodemailer'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { findProvider } from '../../src/bounces/providers/index.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, addressOf, aList } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { freePorts } from '../support/ports.ts'
import { startService, type Service } from '../support/service.ts'
import { EXPECTED, REPLIES, type Situation } from './provider-replies.ts'

const PROVIDERS = Object.keys(REPLIES)
const SITUATIONS = Object.keys(EXPECTED) as Situation[]
const CASES = PROVIDERS.flatMap((provider) => SITUATIONS.map((situation) => ({ provider, situation })))
const MAILGUN_KEY = 'm'.repeat(32)
const PASSWORD = 'dripline:a-password-of-these-tests'
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:mailbox-providers'
const CERTIFICATE_URL = 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-00e2e.pem'
const read = (file: string) => readFileSync(new URL(`webhooks/ses/TEST-ONLY-${file}.pem`, import.meta.url), 'utf8')

interface Reported {
  address: string
  reply: string
  situation: Situation
}

/** Whether a provider calls it a permanent failure. Providers also call a block and a full mailbox permanent. */
const isPermanent = ({ situation, reply }: Reported): boolean => situation !== 'greylisted' && reply.startsWith('5')
const statusIn = (reply: string): string | undefined => /[45]\.\d\.\d+/.exec(reply)?.[0]

describe('bounces of large mailbox providers', () => {
  let service: Service
  let sink: SmtpSink
  let bouncePort: number
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  before(async () => {
    sink = await startSmtpSink()
    ;[bouncePort = 0] = await freePorts(1)
    const env = { BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_PORT: String(bouncePort), BOUNCE_HOST: '127.0.0.1' }
    service = await startService({ worker: false, env: { SMTP_URL: sink.url, SECRETS_KEY: 'k'.repeat(44), ...env } })
    await service.startWorker()
    const { browser } = await aMember(service, 'owner')
    for (const [provider, credential] of [
      ['ses', TOPIC],
      ['sendgrid', publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
      ['postmark', PASSWORD],
      ['mailgun', MAILGUN_KEY],
    ] as const) {
      const set = { workspaceId: service.workspaceId, body: { credential } }
      assert.equal((await browser.ask('PUT', `feedback-sources/${provider}`, set)).status, 200)
    }
    // The certificate is fetched once, so the service knows it from then on.
    await findProvider('ses')!.read({ header: () => undefined, body: sesCall({}) }, TOPIC, () =>
      Promise.resolve(read('own-cert')),
    )
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })

  /** Sends a campaign to one contact per case. */
  async function sendToAll() {
    const listId = await aList(service)
    const contacts = []
    for (const one of CASES) {
      const contactId = await aContact(service, { listId })
      contacts.push({ ...one, contactId, address: await addressOf(service, contactId) })
    }
    const campaign = { name: 'News', subject: 'News', text: 'Hello', audience: { listIds: [listId] } }
    const { body } = await service.call('POST', 'campaigns', campaign)
    await service.call('POST', `campaigns/${body.data.id as string}/schedule`, {})
    const mailTo = (address: string) => sink.mails.find(({ to }) => to[0] === address)
    await eventually('the campaign is sent', async () => {
      const { data } = (await service.call('GET', `campaigns/${body.data.id as string}`)).body
      return data.status === 'SENT' || undefined
    })
    return contacts.map((contact) => ({ ...contact, mail: mailTo(contact.address)! }))
  }

  /** Reports a bounce of each case and checks what is recorded and suppressed. */
  async function check(report: (of: Reported & { returnPath: string }) => Promise<void>, skipped: Situation[] = []) {
    for (const { provider, situation, contactId, address, mail } of await sendToAll()) {
      if (skipped.includes(situation)) continue
      await report({ address, situation, reply: REPLIES[provider]![situation], returnPath: mail.from })
      const { kind, categories } = EXPECTED[situation]
      const { data } = (await service.call('GET', `bounces?contactId=${contactId}`)).body
      const of = `${provider} ${situation}: ${JSON.stringify(data)}`
      assert.equal(data.length, 1, of)
      assert.equal(data[0].kind, kind, of)
      assert.ok(categories.includes(data[0].category as string), of)
      const contact = (await service.call('GET', `contacts/${contactId}`)).body.data
      assert.equal(contact.suppressedBy, kind === 'HARD' ? 'BOUNCED' : null, of)
    }
  }

  async function returnMail(to: string, lines: string[]) {
    const client = nodemailer.createTransport({ host: '127.0.0.1', port: bouncePort, secure: false, ignoreTLS: true })
    try {
      await client.sendMail({ envelope: { from: '', to: [to] }, raw: lines.join('\r\n') })
    } finally {
      client.close()
    }
  }

  it('are read from delivery status notifications', async () => {
    await check(({ returnPath, address, reply }) =>
      returnMail(returnPath, [
        'From: <mailer-daemon@mx.example.net>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
        '',
        '--b',
        'Content-Type: text/plain',
        '',
        'Your message could not be delivered. If you are the sender, ask your server’s administrator about spam.',
        '',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.example.net',
        '',
        `Final-Recipient: rfc822; ${address}`,
        'Action: failed',
        // The reporting server gives up, and reports what it knows.
        `Status: ${statusIn(reply) ?? `${reply[0]!}.0.0`}`,
        `Diagnostic-Code: smtp; ${reply}`,
        '',
        '--b--',
        '',
      ]),
    )
  })

  it('are read from the free text of a server', async () => {
    await check(({ returnPath, address, reply }) =>
      returnMail(returnPath, [
        'From: Mail Delivery System <mailer-daemon@mx.example.net>',
        'Subject: Your message came back',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'This is the server mx.example.net. A message of yours could not be delivered:',
        '',
        `<${address}>:`,
        '  host mx.example.com [192.0.2.25] said:',
        `  ${reply}`,
        '',
        '--- The original message follows',
        'Subject: News',
        '',
        'Stop! 550 5.1.1 User unknown',
        '',
      ]),
    )
  })

  async function post(provider: string, body: string, headers: Record<string, string> = {}) {
    const url = `http://127.0.0.1:${service.port}/feedback/${provider}/${service.workspaceId}`
    const response = await fetch(url, { method: 'POST', body, headers })
    assert.equal(response.status, 200, await response.text())
  }

  /** A notification of Amazon SNS, signed. */
  function sesCall(message: object): Buffer {
    const fields = {
      Message: JSON.stringify(message),
      MessageId: crypto.randomUUID(),
      Timestamp: new Date().toISOString(),
      TopicArn: TOPIC,
      Type: 'Notification',
    }
    const signed = Object.entries(fields)
      .map(([name, value]) => `${name}\n${value}\n`)
      .join('')
    const Signature = sign('RSA-SHA256', Buffer.from(signed), read('own-key')).toString('base64')
    return Buffer.from(JSON.stringify({ ...fields, SignatureVersion: '2', Signature, SigningCertURL: CERTIFICATE_URL }))
  }

  it('are read from the webhook of Amazon SES', () =>
    check(async (of) => {
      const bouncedRecipients = [
        { emailAddress: of.address, status: statusIn(of.reply) ?? '5.0.0', diagnosticCode: `smtp; ${of.reply}` },
      ]
      const bounceType = isPermanent(of) ? 'Permanent' : 'Transient'
      const bounceSubType = of.situation === 'full' ? 'MailboxFull' : 'General'
      const bounce = { bounceType, bounceSubType, bouncedRecipients }
      const body = sesCall({ notificationType: 'Bounce', bounce, mail: { source: of.returnPath } })
      await post('ses', body.toString())
    }))

  it('are read from the webhook of SendGrid', () =>
    check(async (of) => {
      const type = of.situation === 'unknown' || of.situation === 'disabled' ? 'bounce' : 'blocked'
      const event = {
        event: 'bounce',
        type,
        email: of.address,
        status: statusIn(of.reply) ?? '5.0.0',
        reason: of.reply,
      }
      const body = JSON.stringify([{ ...event, sg_event_id: crypto.randomUUID() }])
      const at = String(Math.floor(Date.now() / 1_000))
      await post('sendgrid', body, {
        'x-twilio-email-event-webhook-timestamp': at,
        'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(at + body), privateKey).toString('base64'),
      })
    }))

  it('are read from the webhook of Postmark', () =>
    check(async (of) => {
      const Type = of.situation === 'unknown' || of.situation === 'disabled' ? 'HardBounce' : 'SoftBounce'
      const event = { RecordType: 'Bounce', ID: crypto.randomUUID(), Type, Email: of.address, Details: of.reply }
      const authorization = `Basic ${Buffer.from(PASSWORD).toString('base64')}`
      await post('postmark', JSON.stringify(event), { authorization })
    }))

  // Mailgun retries a temporary failure, and reports it again if it gives up.
  it('are read from the webhook of Mailgun', () =>
    check(async (of) => {
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const token = crypto.randomUUID().replaceAll('-', '').padEnd(50, '0')
      const signature = createHmac('sha256', MAILGUN_KEY)
        .update(timestamp + token)
        .digest('hex')
      const [, code = '', message = ''] = /^(\d{3})[ -](.*)$/.exec(of.reply) ?? []
      const event = { event: 'failed', severity: 'permanent', reason: isPermanent(of) ? 'bounce' : 'old' }
      const details = { recipient: of.address, 'delivery-status': { code: Number(code), message } }
      const body = { signature: { timestamp, token, signature }, 'event-data': { ...event, ...details } }
      await post('mailgun', JSON.stringify(body))
    }))
})
