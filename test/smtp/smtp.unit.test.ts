import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import type { Email, SendHooks, MailTransport } from '../../src/smtp/transport.ts'
import { startScriptedSmtp } from '../support/scripted-smtp.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

const email = {
  from: 'Dripline <from@example.com>',
  to: 'to@example.com',
  messageId: '<abc@example.com>',
  subject: 'Grüße',
  html: '<p>Hi</p>',
  text: 'Hi',
}

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

  for (const to of ['a@b.co\r\nBcc: evil@x.com', 'a@b.co,evil@x.com', 'a@b.co, Evil <evil@x.com>']) {
    it(`adds no recipient for ${JSON.stringify(to)}`, async () => {
      assert.equal((await deliver(transport, { ...email, to })).kind, 'refused')
      assert.equal(sink.mails.length, 0)
    })
  }

  it('reports a message as not sent if there is no connection', async () => {
    const [port] = await freePorts(1)
    const unreachable = createSmtpTransport({ server: readSmtpUrl(`smtp://127.0.0.1:${port}`) })
    assert.equal((await deliver(unreachable, email)).kind, 'not-sent')
  })

  for (const at of ['rcpt', 'data'] as const) {
    it(`reports a message as not sent after a 4xx at ${at}`, async () => {
      sink.behave({ code: 451, text: 'later', at })
      assert.equal((await deliver(transport, email)).kind, 'not-sent')
    })
    it(`reports a message as rejected after a 5xx at ${at}, with the response of the server`, async () => {
      sink.behave({ code: 550, text: 'no such user', at })
      const delivery = await deliver(transport, email)
      assert.equal(delivery.kind, 'refused')
      assert.match('reason' in delivery ? delivery.reason : '', /no such user/)
    })
  }

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
    const lines: string[] = []
    const server = createServer((socket) => {
      socket.write('220 here\r\n')
      socket.on('data', (chunk) => {
        lines.push(chunk.toString())
        socket.write(/^EHLO/i.test(chunk.toString()) ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : '250 ok\r\n')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { options, auth } = readSmtpUrl(`smtp://user:secret@mail.example.com:${port}`)
    const stripped = createSmtpTransport({ server: { options: { ...options, host: '127.0.0.1' }, auth } })
    assert.equal((await deliver(stripped, email)).kind, 'not-sent')
    await stripped.close()
    server.close()
    assert.ok(lines.length > 0)
    assert.ok(
      lines.every((line) => !/AUTH/.test(line) && !line.includes('secret')),
      lines.join(),
    )
  })

  it('alternates connection slots between workspaces', async () => {
    const single = createSmtpTransport({ server: readSmtpUrl(sink.url), maxConnections: 1 })
    const signal = new AbortController().signal
    const first = await single.permit('many', signal)
    assert.equal(await single.permitSoon('many'), undefined)
    const order: string[] = []
    const queue = [...Array.from({ length: 50 }, () => 'many'), 'few'].map(async (who) => {
      const permit = await single.permit(who, signal)
      order.push(who)
      permit.release()
    })
    first.release()
    await Promise.all(queue)
    assert.ok(order.indexOf('few') <= 1, order.join())
    await single.close()
  })

  it('grants a slot to a message that cannot queue if one becomes free within a moment', async () => {
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
    await single.close()
  })

  it('rejects waiting and new requests for slots after it is drained', async () => {
    const single = createSmtpTransport({ server: readSmtpUrl(sink.url), maxConnections: 1 })
    const { signal } = new AbortController()
    await single.permit('a', signal)
    const waiting = single.permit('b', signal)
    single.drain()
    await assert.rejects(waiting, { name: 'TransportClosed' })
    await assert.rejects(single.permit('c', signal), { name: 'TransportClosed' })
    await single.close()
  })

  it('reports an unknown outcome if the connection breaks between DATA and the response', async () => {
    sink.behave('cut')
    assert.equal((await deliver(transport, email)).kind, 'unknown')
  })

  it('defers messages for a server that rejects every connection in its greeting', async () => {
    const server = createServer((socket) => socket.end('554 no service\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const turned = createSmtpTransport({
      server: readSmtpUrl(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`),
    })
    assert.equal((await deliver(turned, email)).kind, 'not-sent')
    server.close()
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

  it("hides the response to the login and the server's address", async () => {
    const strict = await startScriptedSmtp({
      answer: (command) =>
        command.startsWith('EHLO')
          ? '250-here\r\n250 AUTH PLAIN'
          : command.startsWith('AUTH')
            ? `535 5.7.8 no relay-admin here: ${command}`
            : undefined,
    })
    const { options } = readSmtpUrl(strict.url)
    const auth = { user: 'relay-admin', pass: 'secret' }
    const refused = createSmtpTransport({ server: { options: { ...options, ignoreTLS: true }, auth } })
    const naming = await startScriptedSmtp({
      answer: (command) =>
        command.startsWith('EHLO')
          ? '250-here\r\n250 AUTH PLAIN'
          : command.startsWith('RCPT')
            ? '553 5.7.1 <to@example.com>: not owned by relay-admin'
            : command.startsWith('AUTH')
              ? '235 ok'
              : undefined,
    })
    const named = createSmtpTransport({
      server: { options: { ...readSmtpUrl(naming.url).options, ignoreTLS: true }, auth },
    })
    const [port] = await freePorts(1)
    const unreachable = createSmtpTransport({ server: readSmtpUrl(`smtp://127.0.0.1:${port}`) })
    const reason = async (transport: MailTransport) => {
      const delivery = await deliver(transport, email)
      await transport.close()
      return 'reason' in delivery ? delivery.reason : delivery.kind
    }
    try {
      assert.equal(await reason(refused), 'The server responded with 535 5.7.8 to AUTH PLAIN')
      assert.match(await reason(named), /^553 5\.7\.1 <to@example\.com>: not owned by …$/)
      assert.equal(await reason(unreachable), 'The mail server cannot be reached (ESOCKET)')
    } finally {
      await strict.close()
      await naming.close()
    }
  })

  /** Returns the reason of a delivery whose recipient is rejected with this text by a server with a login. */
  async function refusalOf(words: string, auth: { user: string; pass: string }): Promise<string> {
    const server = await startScriptedSmtp({
      answer: (command) =>
        command.startsWith('EHLO')
          ? '250-here\r\n250 AUTH PLAIN'
          : command.startsWith('AUTH')
            ? '235 ok'
            : command.startsWith('RCPT')
              ? `550 5.1.1 ${words}`
              : undefined,
    })
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

  it('hides credentials that the server repeats later in any form', async () => {
    const auth = { user: 'relay-admin', pass: 's3cret-password' }
    const coded = (text: string) => Buffer.from(text).toString('base64')
    const forms = [
      ...[`\0${auth.user}\0${auth.pass}`, auth.user, auth.pass].map(coded),
      `${auth.user}:${auth.pass}`,
      auth.pass,
    ]
    for (const form of forms)
      assert.match(await refusalOf(`no, of ${form} here`, auth), /^550 5\.1\.1 no, of …(?::…)? here$/)
  })

  it('hides a password that the server repeats in its greeting', async () => {
    const auth = { user: 'relay', pass: 's3cret-password' }
    const greeting = await startScriptedSmtp({ greeting: `554 5.7.0 go away ${auth.pass}` })
    const refused = createSmtpTransport({
      server: { options: { ...readSmtpUrl(greeting.url).options, ignoreTLS: true }, auth },
    })
    try {
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
