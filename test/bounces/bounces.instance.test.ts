import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import nodemailer from 'nodemailer'
import { startSmtpSink, type ReceivedMail, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { receiveFeedback } from '../../src/bounces/feedback.ts'
import type { ProviderEvent } from '../../src/bounces/providers/index.ts'
import { returnPathOf } from '../../src/signed-links/index.ts'
import { readLinkSecret } from '../../src/instance/index.ts'
import { newId } from '../../src/platform/ids.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createWorkspace } from '../../src/workspaces/create-workspace.ts'
import { eventually } from '../support/eventually.ts'
import { aContact, activityOf, addressOf, anAutomation, EMAIL, enroll, wait } from '../support/factories.ts'
import { aMember } from '../support/members.ts'
import { freePorts } from '../support/ports.ts'
import { readMail } from '../support/read-mail.ts'
import { startInstance, type Instance } from '../support/instance.ts'

const DOMAIN = 'bounces.example.com'

interface Bounce {
  kind: string
  status: string | null
  source: string
  message: { messageId: string }
}

interface Failure {
  status?: string
  recipient?: string
  diagnostic?: string
  action?: string
}

/** An event of a provider without details. */
const NO_DETAILS = {
  category: null,
  status: null,
  diagnostic: null,
  providerVerdict: null,
  messageId: null,
  returnPath: null,
}

/** A delivery status notification (RFC 3464). */
const notification = (to: string, { status = '5.1.1', recipient, diagnostic, action = 'failed' }: Failure) =>
  [
    'From: <mailer-daemon@mx.example.net>',
    `To: <${to}>`,
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Your message could not be delivered.',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    `Final-Recipient: rfc822; ${recipient ?? 'somebody@example.com'}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${diagnostic ?? `550 ${status} No`}`,
    '',
    '--b--',
    '',
  ].join('\r\n')

describe('returned mail', () => {
  let service: Instance
  let sink: SmtpSink
  let bouncePort: number
  let hold: Promise<void> | undefined
  before(async () => {
    sink = await startSmtpSink(() => hold)
    ;[bouncePort = 0] = await freePorts(1)
    const env = { BOUNCE_DOMAIN: DOMAIN, BOUNCE_PORT: String(bouncePort), BOUNCE_HOST: '127.0.0.1' }
    service = await startInstance({ env: { SMTP_URL: sink.url, SECRETS_KEY: 'k'.repeat(44), ...env } })
  })
  after(async () => {
    await service.stop()
    await sink.close()
  })

  const em = () => service.context.orm.em.fork()
  const mailsTo = (address: string): ReceivedMail[] => sink.mails.filter(({ to }) => to[0] === address)
  /** Sends a mail to the listener. @returns its response */
  async function returnMail(to: string, raw: string, from = ''): Promise<string> {
    const client = nodemailer.createTransport({ host: '127.0.0.1', port: bouncePort, secure: false, ignoreTLS: true })
    try {
      const { response } = await client.sendMail({ envelope: { from, to: [to] }, raw })
      return response
    } catch (error) {
      return (error as { response?: string }).response ?? String(error)
    } finally {
      client.close()
    }
  }
  const bouncesOf = async (contactId: string) =>
    (await service.call('GET', `bounces?contactId=${contactId}`)).body.data as Bounce[]
  const suppressedBy = async (contactId: string) =>
    (await service.call('GET', `contacts/${contactId}`)).body.data.suppressedBy as string | null

  const statusOfEnrollment = async (contactId: string) =>
    (await sql<{ status: string }>(em(), 'select status from enrollments where contact_id = $1', [contactId]))[0]!
      .status
  const deleteSuppressionsOf = async (address: string) => {
    const { body } = await service.call('GET', `suppressions?email=${encodeURIComponent(address)}`)
    for (const { id } of body.data as { id: string }[]) await service.call('DELETE', `suppressions/${id}`)
  }
  /** Applies an event that a mail provider reports, by default a complaint. */
  const sendFeedback = async (
    event: Partial<ProviderEvent> & { recipient: string },
    workspaceId = service.workspaceId,
  ) =>
    receiveFeedback(service.context.dependencies, await readLinkSecret(em()), workspaceId, 'postmark', [
      { kind: 'COMPLAINT', ...NO_DETAILS, id: newId(), ...event },
    ])

  /** Creates a contact and sends them emails. */
  async function mailed(emails = 1, more: object[] = []) {
    const contactId = await aContact(service)
    const address = await addressOf(service, contactId)
    const steps = [...Array.from({ length: emails }, () => EMAIL), ...more]
    const automationId = await anAutomation(service, { steps })
    await enroll(service, automationId, contactId)
    const mails = await eventually('the emails are sent', async () => {
      const sent = (await activityOf(service, contactId)).filter(({ status }) => status === 'SENT')
      return sent.length === emails ? mailsTo(address) : undefined
    })
    return { contactId, address, automationId, mails, mail: mails[0]! }
  }

  it('gets a unique return path for each message, with at most 64 characters before the @', async () => {
    const { mails } = await mailed(2)
    assert.match(mails[0]!.from, /^b-[0-9a-f]{60}@bounces\.example\.com$/)
    assert.notEqual(mails[0]!.from, mails[1]!.from)
    assert.ok(mails[0]!.from.split('@')[0]!.length <= 64)
  })

  it('suppresses only the address of a hard bounce, and ends no enrollment', async () => {
    const { contactId, address, mail } = await mailed(1, [wait(60), EMAIL])
    const other = await mailed(1)
    // Some servers convert addresses to capitals.
    const answer = await returnMail(mail.from.toUpperCase(), notification(mail.from, { recipient: address }))
    assert.match(answer, /^250 /)
    assert.equal(await suppressedBy(contactId), 'BOUNCED')
    assert.equal(await suppressedBy(other.contactId), null)
    const [bounce] = await bouncesOf(contactId)
    const [message] = await activityOf(service, contactId)
    assert.deepEqual(
      { kind: bounce!.kind, status: bounce!.status, source: bounce!.source, messageId: bounce!.message.messageId },
      { kind: 'HARD', status: '5.1.1', source: 'smtp', messageId: message!.messageId },
    )
    assert.equal(await statusOfEnrollment(contactId), 'ACTIVE')
    await enroll(service, await anAutomation(service, { steps: [{ ...EMAIL, category: 'transactional' }] }), contactId)
    await eventually('the message is suppressed', async () =>
      (await activityOf(service, contactId)).find(({ status }) => status === 'SUPPRESSED'),
    )
    assert.equal(mailsTo(address).length, 1)
  })

  it('stores a bounce without the return path, which would allow anyone to report one', async () => {
    const { contactId, address, mail } = await mailed()
    const diagnostic = `451 4.7.1 <${mail.from.toUpperCase()}>: Sender address rejected: greylisted`
    await returnMail(mail.from, notification(mail.from, { recipient: address, status: '4.7.1', diagnostic }))
    const [bounce] = (await service.call('GET', `bounces?contactId=${contactId}`)).body.data as { diagnostic: string }[]
    assert.match(bounce!.diagnostic, /451 4\.7\.1 <…@bounces\.example\.com>: Sender/i)
  })

  /** A complaint about a message, of which the report contains a part. */
  const complaint = (returned: string) =>
    [
      'From: <staff@isp.example>',
      `To: <feedback@${DOMAIN}>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
      '',
      '--b',
      'Content-Type: message/feedback-report',
      '',
      'Feedback-Type: abuse',
      'User-Agent: SomeISP/1.0',
      'Version: 1',
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      returned,
      '',
      '--b--',
      '',
    ].join('\r\n')

  describe('the address in List-Unsubscribe', () => {
    const unsubscribeAddress = (mail: ReceivedMail) =>
      /<mailto:(u-[0-9a-f]{60}@bounces\.example\.com)\?subject=unsubscribe>$/.exec(
        readMail(mail).headers['list-unsubscribe'] ?? '',
      )![1]!
    const request = (from: string, to: string) => `From: <${from}>\r\nTo: <${to}>\r\nSubject: unsubscribe\r\n\r\n`

    it('unsubscribes like the link, and is counted once', async () => {
      const { contactId, address, mail } = await mailed(1, [wait(60), EMAIL])
      const to = unsubscribeAddress(mail)
      assert.match(readMail(mail).headers['list-unsubscribe']!, /^<https?:\/\/[^>]+\/unsubscribe\/[\w-]{66}>, <mailto:/)
      assert.ok(to.split('@')[0]!.length <= 64)
      assert.match(await returnMail(to, request(address, to), address), /^250 /)
      assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
      assert.equal(await statusOfEnrollment(contactId), 'ACTIVE')
      const [count] = await sql<{ count: number }>(
        em(),
        'select count(*)::int as count from messages where contact_id = $1 and unsubscribed_at is not null',
        [contactId],
      )
      assert.equal(count!.count, 1)
      // Any mail to it is a request, whatever it contains, and a second one changes nothing.
      assert.match(await returnMail(to.toUpperCase(), 'Subject: x\r\n\r\nWhy?\r\n', address), /^250 /)
      await returnMail(to, complaint(`Return-Path: <${mail.from}>\r\n\r\nHi`), address)
      assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
      assert.equal((await bouncesOf(contactId)).length, 0)
    })

    it('also unsubscribes the present address of a contact, and an erased contact who is created again', async () => {
      const { contactId, address, mail } = await mailed()
      const present = `moved-${address}`
      await service.call('PATCH', `contacts/${contactId}`, { email: present })
      await returnMail(unsubscribeAddress(mail), 'Subject: x\r\n\r\n', address)
      assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
      const erased = await mailed()
      await service.call('DELETE', `contacts/${erased.contactId}`)
      const again = await aContact(service, { email: erased.address })
      assert.match(await returnMail(unsubscribeAddress(erased.mail), 'Subject: x\r\n\r\n', address), /^250 /)
      assert.equal(await suppressedBy(again), 'UNSUBSCRIBED')
    })

    it('is refused if it is forged, and is not a return path', async () => {
      const { contactId, address, mail } = await mailed()
      const forged = [mail.from.replace(/^b/, 'u'), unsubscribeAddress(mail).replace(/^u/, 'b')]
      for (const to of forged) assert.match(await returnMail(to, request(address, to), address), /^550 /)
      assert.equal(await suppressedBy(contactId), null)
    })
  })

  it('records repeated reports of a bounce once, and keeps a deleted suppression deleted', async () => {
    const { contactId, address, mail } = await mailed()
    const raw = notification(mail.from, { recipient: address })
    await Promise.all([1, 2, 3].map(() => returnMail(mail.from, raw)))
    assert.equal((await bouncesOf(contactId)).length, 1)
    await deleteSuppressionsOf(address)
    assert.match(await returnMail(mail.from, raw), /^250 /)
    assert.equal(await suppressedBy(contactId), null)
  })

  /** Creates a contact whose emails were sent at the given days, and a function that returns one of them. */
  async function mailedOn(days: readonly number[]) {
    const { contactId, address, mails } = await mailed(days.length)
    const rows = await sql<{ id: string }>(
      em(),
      'select id from messages where contact_id = $1 order by created_at, id',
      [contactId],
    )
    for (const [at, day] of days.entries())
      await sql(
        em(),
        `update messages set created_at = now() - interval '60 days' + $2 * interval '1 day' where id = $1`,
        [rows[at]!.id, day],
      )
    return {
      contactId,
      address,
      bounce: (at: number, diagnostic = '452 4.2.2 Mailbox full') => {
        const status = /\b[45]\.\d\.\d+/.exec(diagnostic)![0]
        return returnMail(mails[at]!.from, notification(mails[at]!.from, { recipient: address, status, diagnostic }))
      },
    }
  }

  it('suppresses a full mailbox after five soft bounces in a row, and a delivered message restarts the count', async () => {
    const { contactId, address, bounce } = await mailedOn([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    // The fifth message was delivered.
    for (const at of [0, 1, 2, 3, 5, 6, 7, 8]) await bounce(at)
    assert.equal(await suppressedBy(contactId), null)
    await bounce(9)
    assert.equal(await suppressedBy(contactId), 'BOUNCED')
    await deleteSuppressionsOf(address)
    // After the suppression is deleted, five more are allowed.
    await bounce(10)
    assert.equal(await suppressedBy(contactId), null)
  })

  it('suppresses a full mailbox only if it is full for three days', async () => {
    const { contactId, bounce } = await mailedOn([0, 0.2, 0.4, 0.6, 0.8, 1, 2.9, 3])
    for (const at of [0, 1, 2, 3, 4, 5, 6]) await bounce(at)
    assert.equal(await suppressedBy(contactId), null)
    await bounce(7)
    assert.equal(await suppressedBy(contactId), 'BOUNCED')
  })

  it('counts only bounces of the mailbox, and other failures do not restart the count', async () => {
    const { contactId, bounce } = await mailedOn([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const others = [
      '421 4.7.0 Too many connections from your IP address',
      '550 5.7.1 Your server is on a blocklist',
      '451 4.4.1 Connection timed out',
      '450 4.2.0 Try again later',
      '450 4.1.1 User unknown',
    ]
    for (const [at, reply] of others.entries()) await bounce(at, reply)
    assert.equal(await suppressedBy(contactId), null)
    for (const at of [5, 6, 7, 8]) await bounce(at, '450 4.2.1 The mailbox is inactive')
    assert.equal(await suppressedBy(contactId), null)
    await bounce(9)
    assert.equal(await suppressedBy(contactId), 'BOUNCED')
  })

  it('ignores blocks for content, delays and replies of recipients', async () => {
    const { contactId, address, mail } = await mailed()
    const blocked = { recipient: address, status: '5.7.1', diagnostic: '550 5.7.1 Blocked as spam' }
    await returnMail(mail.from, notification(mail.from, blocked))
    await returnMail(mail.from, notification(mail.from, { recipient: address, action: 'delayed', status: '4.4.1' }))
    const before = sink.mails.length
    const answer = 'From: ada@example.com\r\nSubject: Re: Hello\r\n\r\n550 5.1.1 User unknown, they said. Stop!\r\n'
    await returnMail(mail.from, answer, address)
    await returnMail(mail.from, `Auto-Submitted: auto-replied\r\nX-Failed-Recipients:\r\n${answer}`, '')
    assert.deepEqual(
      (await bouncesOf(contactId)).map(({ kind }) => kind),
      ['BLOCKED'],
    )
    assert.equal(await suppressedBy(contactId), null)
    // No mail is sent in response, which prevents mail loops.
    assert.equal(sink.mails.length, before)
  })

  it('counts a bounce of a forwarding target as soft, and does not suppress the address that it names', async () => {
    const { contactId, mail } = await mailed()
    const named = await aContact(service)
    const recipient = await addressOf(service, named)
    await returnMail(mail.from, notification(mail.from, { recipient }))
    assert.deepEqual(
      (await bouncesOf(contactId)).map(({ kind }) => kind),
      ['SOFT'],
    )
    assert.equal(await suppressedBy(contactId), null)
    assert.equal(await suppressedBy(named), null)
  })

  it('rejects forged, truncated and foreign return paths and other addresses', async () => {
    const { mail, address, contactId } = await mailed()
    const [local = ''] = mail.from.split('@')
    const flipped = `${local.slice(0, -1)}${local.endsWith('0') ? '1' : '0'}`
    const elsewhere = returnPathOf(createSecretKey(Buffer.alloc(32)), DOMAIN, {
      contactId,
      messageId: `<${'ab'.repeat(16)}@x>`,
    })
    for (const to of [
      `${flipped}@${DOMAIN}`,
      `${local.slice(0, -2)}@${DOMAIN}`,
      `b-@${DOMAIN}`,
      `ada@${DOMAIN}`,
      elsewhere!,
      address,
    ])
      assert.match(await returnMail(to, notification(to, { recipient: address })), /^550 /, to)
    assert.equal(await suppressedBy(contactId), null)
  })

  it('ignores bounces of messages that were never sent and of erased contacts', async () => {
    const { contactId, address, mail } = await mailed()
    const secret = await readLinkSecret(em())
    const unsent = returnPathOf(secret, DOMAIN, { contactId, messageId: `<${'ab'.repeat(16)}@x>` })!
    assert.match(await returnMail(unsent, notification(unsent, { recipient: address })), /^250 /)
    assert.equal(await suppressedBy(contactId), null)
    await service.call('DELETE', `contacts/${contactId}`)
    assert.match(await returnMail(mail.from, notification(mail.from, { recipient: address })), /^250 /)
    assert.equal((await service.call('GET', `bounces?contactId=${contactId}`)).refused, '404 contact_not_found')
  })

  it('records a repeated unsubscribe event once, but records a new one', async () => {
    const { contactId, address } = await mailed()
    const unsubscribe = (id: string) => sendFeedback({ kind: 'UNSUBSCRIBE', recipient: address, id })
    assert.deepEqual(await unsubscribe('first'), ['recorded'])
    await deleteSuppressionsOf(address)
    assert.deepEqual(await unsubscribe('first'), ['known'])
    assert.equal(await suppressedBy(contactId), null)
    assert.deepEqual(await unsubscribe('second'), ['recorded'])
    assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
    assert.equal((await bouncesOf(contactId)).length, 1)
    await deleteSuppressionsOf(address)
    for (const id of ['first', 'second']) assert.deepEqual(await unsubscribe(id), ['known'])
    assert.equal(await suppressedBy(contactId), null)
  })

  it('defers a report while its message is in flight', async () => {
    let release: () => void = () => undefined
    hold = new Promise((done) => (release = done))
    const contactId = await aContact(service)
    const address = await addressOf(service, contactId)
    await enroll(service, await anAutomation(service, { steps: [EMAIL] }), contactId)
    const mail = await eventually('the mail server received it', () => mailsTo(address)[0])
    const raw = notification(mail.from, { recipient: address })
    assert.match(await returnMail(mail.from, raw), /^451 /)
    release()
    hold = undefined
    await eventually('the bounce is recorded', async () => {
      const answer = await returnMail(mail.from, raw)
      return answer.startsWith('250 ') ? answer : undefined
    })
    assert.equal(await suppressedBy(contactId), 'BOUNCED')
  })

  it('attributes a complaint to the feedback address by the returned message, and suppresses immediately', async () => {
    const { contactId, mail } = await mailed()
    // A forged return path matches no message.
    await returnMail(
      `feedback@${DOMAIN}`,
      complaint(`Return-Path: <b-${'0'.repeat(60)}@${DOMAIN}>\r\n\r\nHi`),
      'a@b.example',
    )
    assert.equal(await suppressedBy(contactId), null)
    // Recipients may forward an unsubscribe link, so it allows only what its page allows.
    const whole = `${mail.headers}\r\n\r\n${mail.body}`
    assert.match(await returnMail(`Feedback@${DOMAIN}`, complaint(whole), 'staff@isp.example'), /^250 /)
    assert.equal(await suppressedBy(contactId), 'UNSUBSCRIBED')
    const second = await mailed()
    await returnMail(
      `feedback@${DOMAIN}`,
      complaint(`Return-Path: <${second.mail.from}>\r\n\r\nHi`),
      'staff@isp.example',
    )
    assert.equal(await suppressedBy(second.contactId), 'COMPLAINED')
    // The message went to a contact that was erased and created again.
    for (const [returned, reason] of [
      [({ mail: { from } }: typeof second) => `Return-Path: <${from}>\r\n\r\nHi`, 'COMPLAINED'],
      [({ mail: { headers, body } }: typeof second) => `${headers}\r\n\r\n${body}`, 'UNSUBSCRIBED'],
    ] as const) {
      const before = await mailed()
      assert.equal((await service.call('DELETE', `contacts/${before.contactId}`)).status, 200)
      const recreated = await aContact(service, { email: before.address })
      await returnMail(`feedback@${DOMAIN}`, complaint(returned(before)), 'staff@isp.example')
      assert.equal(await suppressedBy(recreated), reason)
    }
  })

  it('applies feedback of a provider about an erased contact to the contact with the same address', async () => {
    for (const by of ['address', 'message', 'return path'] as const) {
      for (const kind of ['COMPLAINT', 'UNSUBSCRIBE'] as const) {
        const { contactId, address, mail } = await mailed()
        const { messageId } = (await activityOf(service, contactId))[0]!
        await service.call('DELETE', `contacts/${contactId}`)
        const event = {
          kind,
          recipient: address.toUpperCase(),
          ...(by === 'message' && { messageId }),
          ...(by === 'return path' && { returnPath: mail.from }),
        }
        await sendFeedback(event)
        // No address of an erased contact is stored.
        assert.equal((await sql(em(), 'select from suppressions where email = $1', [address])).length, 0)
        const recreated = await aContact(service, { email: address })
        assert.equal(await suppressedBy(recreated), kind === 'COMPLAINT' ? 'COMPLAINED' : 'UNSUBSCRIBED', by)
      }
    }
    // A deleted suppression stays deleted when the same event is repeated.
    const { contactId, address } = await mailed()
    await service.call('DELETE', `contacts/${contactId}`)
    const recreated = await aContact(service, { email: address })
    const unsubscribe = { kind: 'UNSUBSCRIBE', recipient: address, id: newId() } as const
    await sendFeedback(unsubscribe)
    assert.equal(await suppressedBy(recreated), 'UNSUBSCRIBED')
    await deleteSuppressionsOf(address)
    await sendFeedback(unsubscribe)
    assert.equal(await suppressedBy(recreated), null)
    await sendFeedback({ ...unsubscribe, id: newId() })
    assert.equal(await suppressedBy(recreated), 'UNSUBSCRIBED')
    await deleteSuppressionsOf(address)
    // An event about a message of another workspace is ignored, although both share the provider account.
    const key = await service.newKey()
    const ask = (method: string, path: string, body?: object) => service.call(method, path, body, { key })
    const there = (await ask('POST', 'contacts', { email: address })).body.data.id as string
    const trigger = { trigger: 'EVENT', triggerConfig: { eventName: 'elsewhere' } }
    const automation = { name: 'Elsewhere', status: 'ACTIVE', ...trigger, steps: [EMAIL] }
    const automationId = (await ask('POST', 'automations', automation)).body.data.id as string
    await ask('POST', `automations/${automationId}/enroll`, { contactId: there })
    const { messageId } = await eventually('the email of the other workspace is sent', async () => {
      const { data } = (await ask('GET', `contacts/${there}/activity`)).body as {
        data: { status: string; messageId: string }[]
      }
      return data.find(({ status }) => status === 'SENT')
    })
    await sendFeedback({ recipient: address, messageId })
    await sendFeedback({ recipient: address, returnPath: mailsTo(address).at(-1)!.from })
    assert.equal(await suppressedBy(recreated), null)
    // No contact of this workspace has this address.
    const unknown = `nobody-${newId()}@example.com`
    assert.deepEqual(await sendFeedback({ recipient: unknown }), ['unknown'])
    assert.equal(await suppressedBy(await aContact(service, { email: unknown })), null)
  })

  it('suppresses only the old address for a bounce after a change of address, and the contact for a complaint', async () => {
    const moved = async () => {
      const sent = await mailed()
      await service.call('PATCH', `contacts/${sent.contactId}`, { email: `new-${sent.address}` })
      return sent
    }
    const gone = await moved()
    await returnMail(gone.mail.from, notification(gone.mail.from, { recipient: gone.address }))
    assert.equal(await suppressedBy(gone.contactId), null)
    // Nothing was sent to the new address, so it cannot have bounced.
    assert.deepEqual(await sendFeedback({ kind: 'HARD', recipient: `new-${gone.address}` }), ['unknown'])
    const angry = await moved()
    assert.deepEqual(await sendFeedback({ recipient: angry.address, returnPath: angry.mail.from }), ['recorded'])
    assert.equal(await suppressedBy(angry.contactId), 'COMPLAINED')
    // The same applies if only the address identifies the message. A bounce affects only the old address.
    const tired = await moved()
    assert.deepEqual(await sendFeedback({ kind: 'UNSUBSCRIBE', recipient: tired.address.toUpperCase() }), ['recorded'])
    assert.equal(await suppressedBy(tired.contactId), 'UNSUBSCRIBED')
    const away = await moved()
    assert.deepEqual(await sendFeedback({ kind: 'HARD', recipient: away.address }), ['recorded'])
    assert.equal(await suppressedBy(away.contactId), null)
    // The worker died during transmission and stored no recipient.
    const lost = await moved()
    await sql(em(), `update messages set status = 'UNCONFIRMED', recipient = null where contact_id = $1`, [
      lost.contactId,
    ])
    assert.deepEqual(await sendFeedback({ kind: 'HARD', recipient: lost.address, returnPath: lost.mail.from }), [
      'recorded',
    ])
    assert.equal(await suppressedBy(lost.contactId), null)
    // This also works if many messages went to the new address in the meantime.
    const busy = await moved()
    await sql(
      em(),
      `insert into messages select (jsonb_populate_record(message, jsonb_build_object(
         'id', gen_random_uuid(), 'step_id', gen_random_uuid(), 'message_id', null, 'recipient', 'new-' || recipient,
         'created_at', now()))).*
       from messages message, generate_series(1, 60) where contact_id = $1`,
      [busy.contactId],
    )
    assert.deepEqual(await sendFeedback({ recipient: busy.address }), ['recorded'])
    assert.equal(await suppressedBy(busy.contactId), 'COMPLAINED')
    // After the erasure no suppression contains any of the addresses.
    await service.call('DELETE', `contacts/${gone.contactId}`)
    const rows = await sql(em(), 'select from suppressions where email = $1', [gone.address])
    assert.equal(rows.length, 0)
  })

  describe('provider webhooks', () => {
    const PASSWORD = 'dripline:a-password-of-these-tests'
    const postWebhook = (body: object | string, password = PASSWORD) =>
      fetch(`http://127.0.0.1:${service.port}/feedback/postmark/${service.workspaceId}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { authorization: `Basic ${Buffer.from(password).toString('base64')}` },
      })
    const hardBounce = (address: string): object => ({
      ...(JSON.parse(
        readFileSync(new URL('webhooks/postmark/bounce-hardbounce.json', import.meta.url), 'utf8'),
      ) as object),
      Email: address,
    })

    it('suppresses only with a configured credential, and only for messages that the workspace sent', async () => {
      const { browser } = await aMember(service, 'owner')
      const ask = (method: string, path: string, body?: object) =>
        browser.ask(method, path, { workspaceId: service.workspaceId, ...(body && { body }) })
      const { contactId, address } = await mailed()
      assert.equal((await postWebhook(hardBounce(address))).status, 404)
      assert.equal((await ask('PUT', 'feedback-sources/postmark', { credential: 'short' })).status, 400)
      assert.equal((await ask('PUT', 'feedback-sources/nobody', { credential: PASSWORD })).status, 404)
      assert.equal((await ask('PUT', 'feedback-sources/postmark', { credential: PASSWORD })).status, 200)
      const { body: listed } = await ask('GET', 'feedback-sources')
      const sources = listed.data as { provider: string; isSet: boolean; url: string }[]
      const postmark = sources.find(({ provider }) => provider === 'postmark')!
      assert.equal(postmark.isSet, true)
      assert.ok(new URL(postmark.url, 'http://x').pathname.endsWith(`/feedback/postmark/${service.workspaceId}`))
      const [kept] = await sql<{ credential: Buffer }>(em(), 'select credential from feedback_sources')
      assert.ok(!kept!.credential.includes('password'), 'the credential is stored in plain text')

      assert.equal((await postWebhook(hardBounce(address), `${PASSWORD}!`)).status, 401)
      assert.equal(await suppressedBy(contactId), null)
      const unsent = await aContact(service)
      assert.equal((await postWebhook(hardBounce(await addressOf(service, unsent)))).status, 200)
      assert.equal(await suppressedBy(unsent), null)
      for (let time = 0; time < 2; time += 1) assert.equal((await postWebhook(hardBounce(address))).status, 200)
      assert.equal(await suppressedBy(contactId), 'BOUNCED')
      assert.deepEqual(
        (await bouncesOf(contactId)).map(({ kind, source }) => ({ kind, source })),
        [{ kind: 'HARD', source: 'postmark' }],
      )
      for (const body of ['', '{', '[]', 'null', '{"RecordType":"Bounce"}'])
        assert.ok([200, 401].includes((await postWebhook(body)).status), body)
      assert.equal((await ask('DELETE', 'feedback-sources/postmark')).status, 200)
      assert.equal((await postWebhook(hardBounce(address))).status, 404)
      assert.equal((await ask('DELETE', 'feedback-sources/postmark')).status, 404)
    })

    it('records deliveries by address for the last messages, each report once', async () => {
      const { browser } = await aMember(service, 'owner')
      const set = { workspaceId: service.workspaceId, body: { credential: PASSWORD } }
      assert.equal((await browser.ask('PUT', 'feedback-sources/postmark', set)).status, 200)
      const { contactId, address } = await mailed()
      await enroll(service, await anAutomation(service), contactId)
      const activity = () => activityOf(service, contactId)
      await eventually('a second email', async () => (await activity()).filter(({ status }) => status === 'SENT')[1])
      const payload = JSON.parse(
        readFileSync(new URL('webhooks/postmark/delivery.json', import.meta.url), 'utf8'),
      ) as object
      const deliver = (id: string) => postWebhook({ ...payload, Recipient: address, MessageID: id })
      const delivered = async () => (await activity()).map(({ deliveredAt }) => deliveredAt !== null)
      // Postmark repeats a call whose response is lost.
      for (const id of ['newer', 'newer']) assert.equal((await deliver(id)).status, 200)
      assert.deepEqual(await delivered(), [true, false])
      await deliver('older')
      assert.deepEqual(await delivered(), [true, true])
      await deliver('of another sender')
      // An old message was not delivered just now.
      await sql(
        em(),
        `update messages set delivered_at = null, created_at = now() - interval '6 days' where contact_id = $1`,
        [contactId],
      )
      await deliver('much older')
      assert.deepEqual(await delivered(), [false, false])
    })

    it('accepts each signed token once if the signature does not cover the event', async () => {
      const { browser } = await aMember(service, 'owner')
      const key = 'k'.repeat(32)
      const set = { workspaceId: service.workspaceId, body: { credential: key } }
      assert.equal((await browser.ask('PUT', 'feedback-sources/mailgun', set)).status, 200)
      const [first, second] = [await mailed(), await mailed()]
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const call = (token: string, event: object) =>
        fetch(`http://127.0.0.1:${service.port}/feedback/mailgun/${service.workspaceId}`, {
          method: 'POST',
          body: JSON.stringify({
            signature: {
              timestamp,
              token,
              signature: createHmac('sha256', key)
                .update(timestamp + token)
                .digest('hex'),
            },
            'event-data': event,
          }),
        })
      const gone = (recipient: string) => ({
        event: 'failed',
        severity: 'permanent',
        reason: 'suppress-bounce',
        recipient,
      })
      // An attacker saw one call, whose event does not matter.
      const [seen, unseen] = ['a'.repeat(50), 'b'.repeat(50)]
      assert.equal((await call(seen, { event: 'delivered', recipient: first.address })).status, 200)
      assert.equal((await call(seen, gone(first.address))).status, 200)
      assert.equal(await suppressedBy(first.contactId), null)
      assert.equal((await call(unseen, gone(first.address))).status, 200)
      assert.equal(await suppressedBy(first.contactId), 'BOUNCED')
      await call(unseen, gone(second.address))
      assert.equal(await suppressedBy(second.contactId), null)
    })

    it('ignores messages of another workspace', async () => {
      const { contactId, address, mail } = await mailed()
      const event = { kind: 'HARD' as const, recipient: address, returnPath: mail.from }
      const { id } = await createWorkspace(em(), { name: 'Other', mode: 'live' })
      assert.deepEqual(await sendFeedback(event, id), ['unknown'])
      assert.equal(await suppressedBy(contactId), null)
      assert.deepEqual(await sendFeedback(event), ['recorded'])
      assert.equal(await suppressedBy(contactId), 'BOUNCED')
    })
  })
})
