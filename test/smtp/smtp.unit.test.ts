import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import type { Email, SendHooks, MailTransport } from '../../src/smtp/transport.ts'
import { anEmail as email } from '../support/an-email.ts'
import { startScriptedSmtp } from '../support/scripted-smtp.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const alwaysBegin = { begin: () => Promise.resolve(true) }
const deliver = async (transport: MailTransport, one: Email, hooks: SendHooks = alwaysBegin) =>
  (await transport.permit('anybody', new AbortController().signal)).deliver(one, hooks)

describe('the SMTP transport', () => {
  let sink: SmtpSink
  let transport: MailTransport

  beforeEach(async () => {
    sink = await startSmtpSink()
    transport = createSmtpTransport({ server: readSmtpUrl(sink.url) })
  })
  afterEach(async () => {
    await transport.close()
    await sink.close()
  })

  it('sends a message with the given Message-ID', async () => {
    const delivery = await deliver(transport, email)
    assert.equal(delivery.kind, 'taken')
    assert.equal(sink.mails.length, 1)
    assert.deepEqual(sink.mails[0]?.to, ['to@example.com'])
    assert.equal(sink.mails[0]?.from, 'from@example.com')
    assert.match(sink.mails[0]?.headers ?? '', /Message-ID: <abc@example.com>/)
  })

  it('adds no recipient for an address that contains another one', async () => {
    for (const to of ['a@b.co\r\nBcc: evil@x.com', 'a@b.co,evil@x.com', 'a@b.co, Evil <evil@x.com>'])
      assert.equal((await deliver(transport, { ...email, to })).kind, 'refused', to)
    assert.equal(sink.mails.length, 0)
  })

  for (const at of ['rcpt', 'data'] as const)
    it(`reports a message as not sent after a 4xx at ${at}, and as rejected after a 5xx, with the response`, async () => {
      sink.behave({ code: 451, text: 'later', at })
      assert.equal((await deliver(transport, email)).kind, 'not-sent')
      sink.behave({ code: 550, text: 'no such user', at })
      assert.partialDeepStrictEqual(await deliver(transport, email), { kind: 'refused', reason: '550 no such user' })
    })

  it('resets the connection after a rejected message', async () => {
    for (const code of [550, 451, 550]) {
      sink.behave({ code, text: 'not this one', at: 'rcpt' })
      const delivery = await deliver(transport, email)
      assert.match('reason' in delivery ? delivery.reason : '', /not this one/)
    }
    sink.behave('accept')
    assert.equal((await deliver(transport, email)).kind, 'taken')
  })

  it('sends no content before the claim, and none if the claim fails', async () => {
    assert.deepEqual(await deliver(transport, email, { begin: () => Promise.resolve(false) }), { kind: 'withdrawn' })
    assert.equal((await deliver(transport, email)).kind, 'taken')
    assert.equal(sink.mails.length, 1)
  })

  it('reports a transmission that is aborted before the claim as not sent', async () => {
    const breakOff = new AbortController()
    const begin = () => {
      breakOff.abort()
      return Promise.resolve(true)
    }
    assert.equal((await deliver(transport, email, { begin, breakOff: breakOff.signal })).kind, 'not-sent')
    assert.equal(sink.mails.length, 0)
  })

  it('reports an unknown outcome if the transmission is aborted after the claim', async () => {
    let arrived = () => undefined as void
    const waiting = await startSmtpSink(() => new Promise<void>(() => arrived()))
    const other = createSmtpTransport({ server: readSmtpUrl(waiting.url) })
    const breakOff = new AbortController()
    arrived = () => breakOff.abort()
    assert.equal((await deliver(other, email, { ...alwaysBegin, breakOff: breakOff.signal })).kind, 'unknown')
    await other.close()
    await waiting.close()
  })

  it('withholds the end of a long message when it must not continue', async () => {
    const long = { ...email, html: null, text: 'A line of text.\r\n'.repeat(60_000) }
    assert.equal((await deliver(transport, long, { ...alwaysBegin, mayGoOn: () => true })).kind, 'taken')
    let parts = 0
    const mayGoOn = () => (parts += 1) < 20
    assert.equal((await deliver(transport, long, { ...alwaysBegin, mayGoOn })).kind, 'not-sent')
    assert.equal(parts, 20)
    assert.equal((await deliver(transport, email)).kind, 'taken')
    assert.equal(sink.mails.length, 2)
  })

  it('sends no password without TLS', async () => {
    const server = await startScriptedSmtp({
      answer: (command) =>
        ({ EHLO: '250-here\r\n250 AUTH PLAIN LOGIN', STAR: '502 unknown command' })[command.slice(0, 4)],
    })
    const { options, auth } = readSmtpUrl(server.url.replace('//127.0.0.1', '//user:secret@mail.example.com'))
    const stripped = createSmtpTransport({ server: { options: { ...options, host: '127.0.0.1' }, auth } })
    assert.equal((await deliver(stripped, email)).kind, 'not-sent')
    await stripped.close()
    await server.close()
    assert.ok(server.commands.length > 0)
    assert.deepEqual(
      server.commands.filter((line) => /AUTH|secret/.test(line)),
      [],
    )
  })

  it('grants a slot to a message that cannot queue if one becomes free within a moment, and none after it is drained', async () => {
    const single = createSmtpTransport({ server: readSmtpUrl(sink.url), maxConnections: 1 })
    const first = await single.permit('a', new AbortController().signal)
    const soon = single.permitSoon('a')
    first.release()
    const permit = await soon
    assert.ok(permit)
    assert.equal(await single.permitSoon('a'), undefined)
    const waiting = single.permitSoon('a')
    single.drain()
    assert.equal(await waiting, undefined)
    await assert.rejects(single.permit('b', new AbortController().signal), { name: 'TransportClosed' })
    await single.close()
  })

  it('reports an unknown outcome if the connection breaks between DATA and the response', async () => {
    sink.behave('cut')
    assert.equal((await deliver(transport, email)).kind, 'unknown')
  })

  it('opens a new connection when the server of a reused one has silently disappeared', async () => {
    const gone = new Set<Socket>()
    const replaced = await startScriptedSmtp({
      answer: (command, socket) => (gone.has(socket) && command.startsWith('RCPT') ? null : undefined),
      message: (socket) => {
        gone.add(socket)
        return '250 taken'
      },
    })
    const server = readSmtpUrl(replaced.url)
    const five = createSmtpTransport({ server, maxConnections: 5, keptEnvelopeMs: 200 })
    const all = () => Promise.all(Array.from({ length: 5 }, () => deliver(five, email)))
    try {
      for (const { kind } of [...(await all()), ...(await all())]) assert.equal(kind, 'taken')
      assert.equal(replaced.whole.length, 10)
    } finally {
      await five.close()
      await replaced.close()
    }
  })

  /** Returns the reason of a delivery through a server that requires a login. */
  async function reasonOf(
    auth: { user: string; pass: string },
    script: { login?: string; rcpt?: string },
  ): Promise<string> {
    const answers = { EHLO: '250-here\r\n250 AUTH PLAIN', AUTH: script.login ?? '235 ok', RCPT: script.rcpt }
    const server = await startScriptedSmtp({ answer: (command) => answers[command.slice(0, 4) as 'EHLO'] })
    const options = { ...readSmtpUrl(server.url).options, ignoreTLS: true }
    const refusing = createSmtpTransport({ server: { options, auth } })
    try {
      const delivery = await deliver(refusing, email)
      return 'reason' in delivery ? delivery.reason : delivery.kind
    } finally {
      await refusing.close()
      await server.close()
    }
  }

  it("hides the response to the login and the server's address", async () => {
    const auth = { user: 'relay-admin', pass: 'secret' }
    const login = `535 5.7.8 no relay-admin here: ${Buffer.from('secret').toString('base64')}`
    assert.equal(await reasonOf(auth, { login }), 'The server responded with 535 5.7.8 to AUTH PLAIN')
    const rcpt = '553 5.7.1 <to@example.com>: not owned by relay-admin'
    assert.match(await reasonOf(auth, { rcpt }), /^553 5\.7\.1 <to@example\.com>: not owned by …$/)
    const [port] = await freePorts(1)
    const unreachable = createSmtpTransport({ server: readSmtpUrl(`smtp://127.0.0.1:${port}`) })
    assert.partialDeepStrictEqual(await deliver(unreachable, email), {
      kind: 'not-sent',
      reason: 'The mail server cannot be reached (ESOCKET)',
    })
  })

  it('hides credentials that the server repeats later in any form', async () => {
    const auth = { user: 'relay-admin', pass: 's3cret-password' }
    const coded = (text: string) => Buffer.from(text).toString('base64')
    const forms = [
      ...[`\0${auth.user}\0${auth.pass}`, auth.user, auth.pass].map(coded),
      `${auth.user}:${auth.pass}`,
      auth.pass,
    ]
    for (const form of forms)
      assert.match(
        await reasonOf(auth, { rcpt: `550 5.1.1 no, of ${form} here` }),
        /^550 5\.1\.1 no, of …(?::…)? here$/,
      )
  })

  it('defers messages for a server that rejects connections, and hides a password in its greeting', async () => {
    const auth = { user: 'relay', pass: 's3cret-password' }
    const greeting = await startScriptedSmtp({ greeting: `554 5.7.0 go away ${auth.pass}` })
    const options = { ...readSmtpUrl(greeting.url).options, ignoreTLS: true }
    const refused = createSmtpTransport({ server: { options, auth } })
    try {
      assert.equal((await deliver(refused, email)).kind, 'not-sent')
      const words = await refused.tryConnection()
      assert.match(words ?? '', /554/)
      assert.doesNotMatch(words ?? '', /s3cret/)
    } finally {
      await refused.close()
      await greeting.close()
    }
  })

  it('opens a new connection when the server closed an idle one', async () => {
    assert.equal((await deliver(transport, email)).kind, 'taken')
    const { port } = sink
    await sink.close()
    sink = await startSmtpSink(undefined, port)
    const deliveries = [await deliver(transport, email)]
    while (deliveries.at(-1)?.kind === 'not-sent') deliveries.push(await deliver(transport, email))
    assert.equal(deliveries.at(-1)?.kind, 'taken')
    assert.equal(sink.mails.length, 1)
  })
})
