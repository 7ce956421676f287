import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import nodemailer, { type SendMailOptions } from 'nodemailer'
import PostalMime from 'postal-mime'
import type { SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { setSender } from '../../src/senders/settings.ts'
import { hashApiKey } from '../../src/workspaces/api-key.ts'
import { type AnotherApi, startAnotherApi } from '../support/another-api.ts'
import { eventually } from '../support/eventually.ts'
import { aContact } from '../support/factories.ts'
import { freePorts } from '../support/ports.ts'
import type { Service } from '../support/service.ts'
import { useServiceAndSink } from '../support/shared-service.ts'
import { withWaits } from '../support/waits.ts'

const FROM = 'Orchard <hello@orchard.example>'
const ENVELOPE = { from: 'hello@orchard.example', to: 'a@example.com' }
const signedMail = (type: string) =>
  `From: ${FROM}\r\nTo: a@example.com\r\nContent-Type: ${type}; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b--\r\n`

interface Node {
  contentType: { parsed: { value: string } }
  childNodes: Node[]
}

/** Parses a mail. @returns its types as a tree, and its files */
async function parsed(raw: string) {
  const parser = new PostalMime({ forceRfc822Attachments: true })
  const { attachments } = await parser.parse(raw)
  const treeOf = ({ contentType, childNodes }: Node): string =>
    contentType.parsed.value + (childNodes.length > 0 ? `(${childNodes.map(treeOf).join(', ')})` : '')
  return { root: treeOf((parser as unknown as { root: Node }).root), attachments }
}

/** A text without the differences that SMTP and nodemailer make. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim()

let addresses = 0
const anAddress = () => `submitted-${(addresses += 1)}@example.com`

describe('emails over SMTP', () => {
  let service: Service
  let sink: SmtpSink
  let api: AnotherApi
  let port: number
  useServiceAndSink((opened) => ({ service, sink } = opened))
  before(async () => {
    ;[port = 0] = await freePorts(1)
    api = await startAnotherApi(service, { SMTP_SUBMISSION_PORT: port })
    await setSender(service.context.orm.em.fork(), service.workspaceId, { fromAddress: 'hello@orchard.example' })
  })
  after(() => api.stop())
  const em = () => service.context.orm.em.fork()

  const client = (pass = service.key) =>
    nodemailer.createTransport({
      ...{ host: '127.0.0.1', port, secure: false },
      ...(pass === '' ? {} : { auth: { user: 'anything', pass } }),
    })
  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to[0] === address)
  const arrives = async (address: string) => {
    const { headers, body } = await eventually('the email arrives', () => mailsTo(address)[0])
    return PostalMime.parse(`${headers}\r\n\r\n${body}`)
  }
  /** Sends a mail. @returns the response of the server */
  const send = async (mail: SendMailOptions, by = client()) => {
    try {
      return (await by.sendMail({ from: FROM, subject: 'Receipt', text: 'Thank you', ...mail })).response
    } catch (error) {
      return (error as { response?: string }).response ?? String(error)
    } finally {
      by.close()
    }
  }

  it('sends an email of nodemailer, with its attachment', async () => {
    const to = anAddress()
    const response = await send({
      to,
      html: '<p>Thank you</p>',
      replyTo: 'Support <support@orchard.example>',
      headers: { 'X-Order': '4711', 'List-Unsubscribe': '<https://example.com>' },
      attachments: [{ filename: '../receipt.txt', content: 'Total: 49.00' }],
    })
    assert.match(response, /^250 2\.0\.0 Accepted as [0-9a-f-]{36}$/)
    const mail = await arrives(to)
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    assert.deepEqual(
      [mail.from?.address, mail.from?.name, mail.subject, mail.replyTo],
      ['hello@orchard.example', 'Orchard', 'Receipt', [{ name: 'Support', address: 'support@orchard.example' }]],
    )
    assert.deepEqual([header('x-order'), header('list-unsubscribe')], ['4711', '<https://example.com>'])
    assert.equal(mail.attachments[0]!.filename, 'receipt.txt')
    const id = response.split(' ').at(-1)!
    assert.equal((await service.call('GET', `emails/${id}`)).body.data.to, to)
  })

  it('explains which sender it takes, before one is set', async () => {
    const key = await service.newKey({ scopes: ['emails:send'] })
    assert.match(await send({ to: anAddress() }, client(key)), /^550 5\.6\.0 from must be the address in MAIL_FROM/)
  })

  it('sends each recipient an email of their own, which shows the others except Bcc', async () => {
    const [to, cc, bcc] = [anAddress(), anAddress(), anAddress()]
    const [visibleTo, visibleCc] = [`"Zoë, of Sales" <${to}>`, `"Müller" <${cc}>`]
    assert.match(await send({ to: visibleTo, cc: visibleCc, bcc, messageId: '<thread-1@orchard.example>' }), /^250 /)
    for (const address of [to, cc, bcc]) {
      const mail = await arrives(address)
      assert.deepEqual(
        [mail.to, mail.cc, mail.bcc, mail.messageId],
        [
          [{ name: 'Zoë, of Sales', address: to }],
          [{ name: 'Müller', address: cc }],
          undefined,
          '<thread-1@orchard.example>',
        ],
      )
    }
    const contactId = await aContact(service, { email: cc.toUpperCase() })
    await service.call('DELETE', `contacts/${contactId}`)
    const rows = await sql(em(), `select from emails where headers::text ilike '%' || $1 || '%'`, [cc])
    assert.equal(rows.length, 0)
  })

  it('sends files, pictures, attached mails and invitations as they were', async () => {
    const png = Buffer.from('iVBORw0KGgo=', 'base64')
    const invitation = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n'
    const attached = 'From: a@example.com\r\nSubject: Inner\r\n\r\nHello\r\n'
    const to = anAddress()
    await send({
      to,
      html: '<p>See <img src="cid:logo@x"></p>',
      alternatives: [{ contentType: 'text/calendar; method=REQUEST; charset=utf-8', content: invitation }],
      attachments: [
        { filename: 'logo.png', content: png, cid: 'logo@x' },
        {
          filename: 'list.csv',
          content: 'a;b',
          contentType: 'text/csv; charset=windows-1252',
          headers: { 'Content-ID': '<list@x>' },
        },
        { filename: 'shown.txt', content: 'shown', contentDisposition: 'inline' },
        { filename: 'inner.eml', content: attached, contentType: 'message/rfc822' },
        { filename: 'later.ics', content: invitation, contentType: 'text/calendar; method=PUBLISH' },
      ],
    })
    await arrives(to)
    const { headers, body } = mailsTo(to)[0]!
    const { root, attachments } = await parsed(`${headers}\r\n\r\n${body}`)
    assert.equal(
      root,
      'multipart/mixed(multipart/alternative(text/plain, multipart/related(text/html, image/png), text/calendar), text/csv, text/plain, message/rfc822, text/calendar)',
    )
    assert.deepEqual(
      attachments.map(({ filename, mimeType, contentId, disposition, method, content }) => [
        ...[filename, mimeType, contentId ?? null, disposition, method ?? null],
        plain(Buffer.from(content as ArrayBuffer).toString('latin1')),
      ]),
      [
        ['logo.png', 'image/png', '<logo@x>', 'inline', null, plain(png.toString('latin1'))],
        [null, 'text/calendar', null, null, 'REQUEST', plain(invitation)],
        ['list.csv', 'text/csv', '<list@x>', 'attachment', null, 'a;b'],
        ['inner.eml', 'message/rfc822', null, 'inline', null, plain(attached)],
        ['later.ics', 'text/calendar', null, 'attachment', 'PUBLISH', plain(invitation)],
      ],
    )
    // postal-mime takes a text that is shown for a part of the body.
    assert.match(body, /Content-Disposition: inline; filename=shown\.txt\r\n\r\nc2hvd24=\r\n/)
    assert.match(body, /Content-Type: text\/calendar; method=REQUEST; charset=utf-8/i)
    assert.match(body, /Content-Type: text\/csv; charset=windows-1252/i)
  })

  it('reads UTF-8 that is not declared, or declared as ASCII', async () => {
    for (const type of [undefined, 'text/plain', 'text/plain; charset=us-ascii']) {
      const to = anAddress()
      const header = type === undefined ? '' : `Content-Type: ${type}\r\n`
      const raw = `From: ${FROM}\r\nTo: ${to}\r\nSubject: Grüße\r\n${header}Content-Transfer-Encoding: 8bit\r\n\r\nHällo\r\n`
      await send({ raw, envelope: { from: 'hello@orchard.example', to } })
      const mail = await arrives(to)
      assert.deepEqual([mail.subject, mail.text?.trim()], ['Grüße', 'Hällo'])
    }
  })

  it('keeps what other programs write differently', async () => {
    const to = anAddress()
    const cid = 'part1.0A$0B/x=1~@host'
    const many = Array.from({ length: 40 }, (_, n) => `<message-number-${n}@orchard.example>`)
    const raw = [
      'From: "ada@shop.example via \\"App\\"" <hello@orchard.example>',
      `To: ${to}`,
      'Message-ID: no-brackets@orchard.example',
      'Subject: Your order will arrive on',
      '\tTuesday',
      `References: ${many.join(',\r\n\t')}`,
      'In-Reply-To: bare@orchard.example',
      'X-Order_ID: 47\r\n\t11',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: multipart/alternative; boundary=c',
      '',
      '--c',
      'Content-Type: text/plain; charset=x-unknown',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Envoyé',
      '--c',
      'Content-Type: multipart/related; boundary=d',
      '',
      '--d',
      'Content-Type: text/html; charset=utf-8',
      '',
      `<img src="cid:${cid}">`,
      '--d',
      'Content-Type: image/png',
      `Content-ID: <${cid}>`,
      'Content-Disposition: inline; filename=logo.png',
      'Content-Transfer-Encoding: base64',
      '',
      'iVBORw0KGgo=',
      '--d--',
      '--c',
      'Content-Type: text/calendar; method=REQUEST; x-title="Meeting, 3pm"; name=invite.ics',
      '',
      'BEGIN:VCALENDAR',
      '--c--',
      '--b--',
      '',
    ].join('\r\n')
    assert.match(await send({ raw, envelope: { from: 'hello@orchard.example', to } }), /^250 /)
    const mail = await arrives(to)
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value
    assert.deepEqual(
      [mail.from?.name, mail.subject, mail.text?.trim(), mail.messageId, header('x-order_id')],
      [
        'ada@shop.example via "App"',
        'Your order will arrive on Tuesday',
        'Envoyé',
        '<no-brackets@orchard.example>',
        '47 11',
      ],
    )
    assert.equal(mail.inReplyTo, '<bare@orchard.example>')
    assert.deepEqual(mail.references?.split(/\s+/), many)
    const { headers, body } = mailsTo(to)[0]!
    const { root, attachments } = await parsed(`${headers}\r\n\r\n${body}`)
    assert.equal(root, 'multipart/alternative(text/plain, multipart/related(text/html, image/png), text/calendar)')
    assert.deepEqual(
      attachments.map(({ filename, contentId, disposition }) => [filename, contentId, disposition]),
      [
        ['logo.png', `<${cid}>`, 'inline'],
        ['invite.ics', undefined, null],
      ],
    )
    assert.match(body, /x-title="Meeting, 3pm"/)
  })

  it('keeps a file that only its type names, and a picture whose link is encoded', async () => {
    const to = anAddress()
    const cid = (id: string, type: string, disposition: string) =>
      ['--b', `Content-Type: ${type}`, `Content-ID: <${id}>`, `Content-Disposition: ${disposition}`, '', 'x'].join(
        '\r\n',
      )
    const raw = [
      `From: "Foo <Bar>" <hello@orchard.example>`,
      `To: ${to}`,
      ...Array.from({ length: 21 }, (_, n) => `X-H${n}: ${n}`),
      'List-Unsubscribe: <https://example.com>',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<img src="cid:logo2"><img src="CID:a%40x">',
      '--b',
      'Content-Type: text/plain; name="log.txt"',
      '',
      'log content',
      cid('logo', 'application/pdf', 'attachment; filename=a.pdf'),
      cid('a@x', 'image/png', 'inline; filename=a.png'),
      '--b--',
      '',
    ].join('\r\n')
    assert.match(await send({ raw, envelope: { from: 'hello@orchard.example', to } }), /^250 /)
    const mail = await arrives(to)
    assert.equal(mail.from?.name, 'Foo <Bar>')
    assert.ok(mail.headers.some(({ key }) => key === 'list-unsubscribe'))
    const { headers, body } = mailsTo(to)[0]!
    const { root } = await parsed(`${headers}\r\n\r\n${body}`)
    assert.equal(root, 'multipart/mixed(multipart/related(text/html, image/png), text/plain, application/pdf)')
    assert.match(body, /filename=log\.txt/)
  })

  it('refuses what it would change or lose, with the reason', async () => {
    const refused = async (...lines: string[]) => {
      const to = anAddress()
      const from = lines[0]!.startsWith('From:') ? [] : [`From: ${FROM}`]
      const raw = [...from, `To: ${to}`, ...lines, ''].join('\r\n')
      return send({ raw, envelope: { from: 'hello@orchard.example', to } })
    }
    const inner = 'Content-Type: multipart/signed; boundary=c\r\n\r\n--c\r\n\r\nHello\r\n--c--'
    const signed = await refused('Content-Type: multipart/mixed; boundary=b', '', '--b', inner, '--b--')
    assert.match(signed, /^550 5\.6\.0 Signed or encrypted mail cannot be sent/)
    const two = await refused('Reply-To: a@example.com b@example.com', '', 'Hello')
    assert.match(two, /^550 5\.6\.0 Reply-To must have one address/)
    const authors = await refused('From: a@orchard.example, hello@orchard.example', '', 'Hello')
    assert.match(authors, /^550 5\.6\.0 From must have one address/)
    const long = await refused(`List-Unsubscribe: <https://example.com/${'x'.repeat(900)}>`, '', 'Hello')
    assert.match(long, /^550 5\.6\.0 List-Unsubscribe must be one line of at most 900 ASCII characters/)
    const report = await refused('Content-Type: multipart/report; boundary=b', '', '--b', '', 'Failed', '--b--')
    assert.match(report, /^550 5\.6\.0 Reports for programs/)
    for (const type of ['multipart/mixed', 'multipart/mixed; boundary=other']) {
      const lost = await refused(`Content-Type: ${type}`, '', '--b', '', 'Hello', '--b--')
      assert.match(lost, /^550 5\.6\.0 The mail cannot be read: multipart\/mixed has no parts: check its boundary/)
    }
  })

  it('sends a mail once, whatever its boundary and date, or by its Idempotency-Key', async () => {
    const [to, other] = [anAddress(), anAddress()]
    const mail = { to, html: '<b>x</b>', messageId: '<retry@orchard.example>' }
    // nodemailer makes new boundaries.
    assert.equal(await send({ ...mail, date: new Date(0) }), await send(mail))
    const keyed = (text: string) => send({ to: other, text, headers: { 'Idempotency-Key': 'receipt-1' } })
    assert.equal(await keyed('first'), await keyed('second'))
    await arrives(other)
    const last = anAddress()
    await send({ to: last })
    await arrives(last)
    assert.deepEqual([mailsTo(to).length, mailsTo(other).length], [1, 1])
  })

  it('does not send a mail again that is submitted with the same Message-ID', async () => {
    const to = anAddress()
    const mail = { to, messageId: '<once@orchard.example>', date: new Date() }
    const [first, second, other] = [await send(mail), await send(mail), await send({ ...mail, text: 'Other' })]
    assert.equal(first, second)
    assert.notEqual(first, other)
    await arrives(to)
    const last = anAddress()
    await send({ to: last })
    await arrives(last)
    await eventually('the other mail arrives', () => (mailsTo(to).length === 2 ? true : undefined))
  })

  const REFUSED: Record<string, [() => Promise<string>, RegExp]> = {
    'no key': [() => send({ to: 'a@example.com' }, client('')), /^530 /],
    'a wrong key': [() => send({ to: 'a@example.com' }, client('svc_live_wrong')), /^535 5\.7\.8 /],
    'a key without the scope': [
      async () => send({ to: 'a@example.com' }, client(await service.newKey({ scopes: ['contacts:read'] }))),
      /^535 5\.7\.8 The API key needs the scope emails:send/,
    ],
    'a sender of another domain': [
      () => send({ to: 'a@example.com', from: 'a@elsewhere.example' }),
      /^550 5\.6\.0 from must be an address at orchard\.example/,
    ],
    'a text that cannot be stored': [() => send({ to: 'a@example.com', text: 'a\u0000b' }), /^550 5\.6\.0 /],
    'a signed mail': [
      () => send({ raw: signedMail('multipart/signed; protocol="application/pgp-signature"'), envelope: ENVELOPE }),
      /^550 5\.6\.0 Signed or encrypted mail cannot be sent/,
    ],
    'an encrypted mail': [
      () => send({ raw: signedMail('application/pkcs7-mime; smime-type=enveloped-data'), envelope: ENVELOPE }),
      /^550 5\.6\.0 Signed or encrypted mail cannot be sent/,
    ],
    'several addresses for replies': [
      () => send({ to: 'a@example.com', replyTo: 'a@example.com, b@example.com' }),
      /^550 5\.6\.0 Reply-To must have one address/,
    ],
    '11 MB of attachments': [
      () => send({ to: 'a@example.com', attachments: [{ filename: 'a', content: Buffer.alloc(10_930_000) }] }),
      /^552 5\.3\.4 /,
    ],
  }
  for (const [what, [attempt, response]] of Object.entries(REFUSED)) {
    it(`refuses ${what}`, async () => assert.match(await attempt(), response))
  }

  it('accepts at most 50 recipients of a mail', async () => {
    const by = client()
    const to = Array.from({ length: 51 }, () => anAddress())
    const { rejected, rejectedErrors } = await by.sendMail({ from: FROM, to, subject: 'S', text: 'T' })
    by.close()
    assert.deepEqual(rejected, [to.at(-1)])
    assert.match(rejectedErrors![0]!.message, /452 4\.5\.3 Too many recipients/)
  })

  it('counts each mail of a connection as a request', async () => {
    const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['emails:send'], rateLimit: 2 })
    const auth = { user: 'x', pass: key }
    const pool = nodemailer.createTransport({ host: '127.0.0.1', port, pool: true, maxConnections: 1, auth })
    const attempt = () => pool.sendMail({ from: FROM, to: anAddress(), subject: 'S', text: 'T' })
    await attempt()
    await attempt()
    await assert.rejects(attempt(), /4\.7\.0 Too many requests\. Please try again in \d+ seconds/)
    pool.close()
  })

  describe('of a client whose key is deleted after its login', () => {
    withWaits({ submissionCounted: 0 })

    it('are refused', async () => {
      const key = await service.newKey({ workspaceId: service.workspaceId, scopes: ['emails:send'] })
      const socket = connect(port, '127.0.0.1')
      let said = ''
      socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
      const command = async (text: string, answer: RegExp) => {
        said = ''
        socket.write(`${text}\r\n`)
        await eventually(`${answer}`, () => answer.test(said) || undefined)
      }
      await eventually('a greeting', () => said.startsWith('220 ') || undefined)
      await command('EHLO client', /^250 /m)
      await command(`AUTH PLAIN ${Buffer.from(`\0any\0${key}`).toString('base64')}`, /^235 /)
      await sql(service.context.orm.em.fork(), 'delete from api_keys where hash = $1::bytea', [hashApiKey(key)])
      await command('MAIL FROM:<hello@orchard.example>', /^250 /)
      await command(`RCPT TO:<${anAddress()}>`, /^250 /)
      await command('DATA', /^354 /)
      await command('Subject: Hello\r\n\r\nHello\r\n.', /^535 5\.7\.8 /)
      socket.destroy()
    })
  })

  it('accepts keys only over TLS if it has a certificate', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dripline-'))
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-subj', '/CN=localhost']
    await promisify(execFile)('openssl', ['req', ...options])
    const [tlsPort = 0] = await freePorts(1)
    const secure = await startAnotherApi(service, {
      ...{ SMTP_SUBMISSION_PORT: tlsPort, SMTP_SUBMISSION_HOST: '0.0.0.0' },
      ...{ SMTP_SUBMISSION_CERT: cert, SMTP_SUBMISSION_KEY: key },
    })
    const auth = { user: 'x', pass: service.key }
    const by = (options: object) => nodemailer.createTransport({ host: '127.0.0.1', port: tlsPort, auth, ...options })
    const mail = { to: anAddress() }
    assert.match(await send(mail, by({ ignoreTLS: true })), /530|538|STARTTLS/)
    assert.match(await send(mail, by({ requireTLS: true, tls: { rejectUnauthorized: false } })), /^250 /)
    await secure.stop()
    await rm(folder, { recursive: true })
  })

  it('does not start without TLS on an address that others can reach', async () => {
    const [free = 0] = await freePorts(1)
    const settings = { SMTP_SUBMISSION_PORT: free, SMTP_SUBMISSION_HOST: '0.0.0.0' }
    await assert.rejects(startAnotherApi(service, settings), /SMTP_SUBMISSION_CERT and SMTP_SUBMISSION_KEY/)
  })

  describe('while the database commits slowly', () => {
    const em = () => service.context.orm.em.fork()
    before(async () => {
      await sql(
        em(),
        `create function sleep_at_commit() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return null; end $$`,
      )
      await sql(
        em(),
        `create constraint trigger slow after insert on emails deferrable initially deferred
         for each row execute function sleep_at_commit()`,
      )
    })
    after(() => sql(em(), 'drop function sleep_at_commit cascade'))

    it('are stored when they are accepted', async () => {
      const response = await send({ to: anAddress() })
      const stored = await sql(em(), 'select from emails where id = $1::uuid', [response.split(' ').at(-1)])
      assert.match(response, /^250 /)
      assert.equal(stored.length, 1)
    })
  })

  describe('that are crafted to take long to read', () => {
    withWaits({ mailParsing: 1_000 })

    it('are refused, and block neither the API nor the next mail', async () => {
      // The parser needs time with the square of the number of lines: 40 seconds for these.
      const raw = `Subject: Short lines\r\n\r\n${'a\r\n'.repeat(1_000_000)}`
      const by = client()
      const submitting = by.sendMail({ envelope: { from: 'hello@orchard.example', to: anAddress() }, raw }).then(
        ({ response }) => response,
        (error: { response?: string }) => error.response,
      )
      let answers = 0
      const refused = submitting.finally(() => by.close())
      for (let isOver = false; !isOver;) {
        assert.equal((await service.call('GET', 'contacts?limit=1')).status, 200)
        answers += 1
        isOver = await Promise.race([refused.then(() => true), new Promise<false>((done) => setImmediate(done, false))])
      }
      assert.match((await refused) ?? '', /^451 4\.3\.0 The mail takes too long to parse/)
      // Parsing in the same process would block it until the mail is read.
      assert.ok(answers > 3, `${answers} answers`)
      assert.match(await send({ to: anAddress() }), /^250 /)
    })
  })

  describe('from clients that do not sign in', () => {
    withWaits({ submissionSignIn: 2_000 })
    /** Connects. @returns what the server says until it closes the connection, or for as long as it is open */
    function connects() {
      const socket = connect(port, '127.0.0.1')
      let said = ''
      socket.on('data', (chunk: Buffer) => (said += chunk.toString()))
      const closed = once(socket, 'close').then(() => said)
      return { socket, said: () => said, closed }
    }

    it('closes the connection after a while', async () => {
      assert.match(await connects().closed, /^220 /)
    })

    it('accepts no more than 20 connections from an address', async () => {
      const open = Array.from({ length: 20 }, connects)
      await eventually('all are greeted', () => open.every(({ said }) => said().startsWith('220 ')) || undefined)
      assert.match(await connects().closed, /^421 4\.7\.0 Too many connections from your address/)
      await Promise.all(open.map(({ closed }) => closed))
      assert.match(await send({ to: anAddress() }), /^250 /)
    })
  })
})
