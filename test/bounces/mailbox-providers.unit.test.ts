import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { findProvider } from '../../src/bounces/providers/index.ts'
import { readReport } from '../../src/bounces/read-report.ts'
import { reportFor } from '../../src/bounces/returned-mail.ts'
import { EXPECTED, REPLIES, type Situation } from './provider-replies.ts'

const ADDRESS = 'ada@example.com'
const MAILGUN_KEY = 'm'.repeat(32)
const PASSWORD = 'dripline:a-password-of-these-tests'
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:mailbox-providers'
const CERTIFICATE_URL = 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-00e2e.pem'
const read = (file: string) => readFileSync(new URL(`webhooks/ses/TEST-ONLY-${file}.pem`, import.meta.url), 'utf8')

interface Reported {
  reply: string
  situation: Situation
}
interface Found {
  kind: string
  category: string | null
}

/** Whether a provider calls it a permanent failure. Providers also call a block and a full mailbox permanent. */
const isPermanent = ({ situation, reply }: Reported): boolean => situation !== 'greylisted' && reply.startsWith('5')
const isHard = ({ situation }: Reported): boolean => situation === 'unknown' || situation === 'disabled'
const statusIn = (reply: string): string | undefined => /[45]\.\d\.\d+/.exec(reply)?.[0]
const now = () => String(Math.floor(Date.now() / 1_000))

describe('bounces of large mailbox providers', () => {
  /** Reads the report of each situation at each provider. */
  async function check(readBounce: (of: Reported) => Promise<Found>) {
    const deviations: unknown[] = []
    for (const [provider, replies] of Object.entries(REPLIES)) {
      for (const [situation, reply] of Object.entries(replies) as [Situation, string][]) {
        const { kind, category } = await readBounce({ situation, reply })
        const { kind: expected, categories } = EXPECTED[situation]
        if (kind !== expected || !categories.includes(category!))
          deviations.push({ provider, situation, kind, category })
      }
    }
    assert.deepEqual(deviations, [])
  }

  const readMail = async (lines: string[]): Promise<Found> => {
    const { reports } = await readReport(Buffer.from(lines.join('\r\n')), { isFromNobody: true })
    return reportFor(ADDRESS, reports)
  }

  async function readCall(
    provider: string,
    credential: string,
    body: Buffer | string,
    headers: Record<string, string> = {},
  ): Promise<Found> {
    const call = { body: Buffer.from(body), header: (name: string) => headers[name] }
    const events = await findProvider(provider)!.read(call, credential, () => Promise.resolve(read('own-cert')))
    assert.deepEqual(
      events.map(({ recipient }) => recipient),
      [ADDRESS],
    )
    return events[0]!
  }

  it('are read from delivery status notifications', () =>
    check(({ reply }) =>
      readMail([
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
        `Final-Recipient: rfc822; ${ADDRESS}`,
        'Action: failed',
        // The reporting server gives up, and reports what it knows.
        `Status: ${statusIn(reply) ?? `${reply[0]!}.0.0`}`,
        `Diagnostic-Code: smtp; ${reply}`,
        '',
        '--b--',
        '',
      ]),
    ))

  it('are read from the free text of a server', () =>
    check(({ reply }) =>
      readMail([
        'From: Mail Delivery System <mailer-daemon@mx.example.net>',
        'Subject: Your message came back',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'This is the server mx.example.net. A message of yours could not be delivered:',
        '',
        `<${ADDRESS}>:`,
        '  host mx.example.com [192.0.2.25] said:',
        `  ${reply}`,
        '',
        '--- The original message follows',
        'Subject: News',
        '',
        'Stop! 550 5.1.1 User unknown',
        '',
      ]),
    ))

  it('are read from the webhook of Amazon SES', () =>
    check((of) => {
      const bouncedRecipients = [
        { emailAddress: ADDRESS, status: statusIn(of.reply) ?? '5.0.0', diagnosticCode: `smtp; ${of.reply}` },
      ]
      const bounceType = isPermanent(of) ? 'Permanent' : 'Transient'
      const bounceSubType = of.situation === 'full' ? 'MailboxFull' : 'General'
      const bounce = { bounceType, bounceSubType, bouncedRecipients }
      const fields = {
        Message: JSON.stringify({ notificationType: 'Bounce', bounce, mail: { source: 'me@example.com' } }),
        MessageId: crypto.randomUUID(),
        Timestamp: new Date().toISOString(),
        TopicArn: TOPIC,
        Type: 'Notification',
      }
      const signed = Object.entries(fields).map(([name, value]) => `${name}\n${value}\n`)
      const Signature = sign('RSA-SHA256', Buffer.from(signed.join('')), read('own-key')).toString('base64')
      const call = { ...fields, SignatureVersion: '2', Signature, SigningCertURL: CERTIFICATE_URL }
      return readCall('ses', TOPIC, JSON.stringify(call))
    }))

  it('are read from the webhook of SendGrid', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return check((of) => {
      const type = isHard(of) ? 'bounce' : 'blocked'
      const event = { event: 'bounce', type, email: ADDRESS, status: statusIn(of.reply) ?? '5.0.0', reason: of.reply }
      const body = JSON.stringify([{ ...event, sg_event_id: crypto.randomUUID() }])
      const at = now()
      return readCall('sendgrid', publicKey.export({ type: 'spki', format: 'der' }).toString('base64'), body, {
        'x-twilio-email-event-webhook-timestamp': at,
        'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(at + body), privateKey).toString('base64'),
      })
    })
  })

  it('are read from the webhook of Postmark', () =>
    check((of) => {
      const Type = isHard(of) ? 'HardBounce' : 'SoftBounce'
      const event = { RecordType: 'Bounce', ID: crypto.randomUUID(), Type, Email: ADDRESS, Details: of.reply }
      const authorization = `Basic ${Buffer.from(PASSWORD).toString('base64')}`
      return readCall('postmark', PASSWORD, JSON.stringify(event), { authorization })
    }))

  // Mailgun retries a temporary failure, and reports it again if it gives up.
  it('are read from the webhook of Mailgun', () =>
    check((of) => {
      const [timestamp, token] = [now(), crypto.randomUUID().replaceAll('-', '').padEnd(50, '0')]
      const signature = createHmac('sha256', MAILGUN_KEY).update(`${timestamp}${token}`).digest('hex')
      const [, code = '', message = ''] = /^(\d{3})[ -](.*)$/.exec(of.reply) ?? []
      const event = { event: 'failed', severity: 'permanent', reason: isPermanent(of) ? 'bounce' : 'old' }
      const details = { recipient: ADDRESS, 'delivery-status': { code: Number(code), message } }
      const body = { signature: { timestamp, token, signature }, 'event-data': { ...event, ...details } }
      return readCall('mailgun', MAILGUN_KEY, JSON.stringify(body))
    }))
})
