import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { createSmtpTransport } from '../../src/mail/smtp.ts'
import type { MailTransport } from '../../src/mail/transport.ts'
import { freePorts } from '../support/ports.ts'
import { startSmtpSink, type SmtpSink } from '../support/smtp-sink.ts'

const email = {
  from: 'Dripline <from@example.com>',
  to: 'to@example.com',
  messageId: '<abc@example.com>',
  subject: 'Grüße',
  html: '<p>Hi</p>',
  text: 'Hi',
}

describe('SMTP transport', () => {
  let sink: SmtpSink
  let transport: MailTransport

  beforeEach(async () => {
    sink = await startSmtpSink()
    transport = createSmtpTransport({ url: sink.url })
  })
  afterEach(async () => {
    await transport.close()
    await sink.close()
  })

  it('hands a message over, with its own Message-ID', async () => {
    const delivery = await transport.deliver(email)
    assert.equal(delivery.kind, 'taken')
    assert.equal(sink.mails.length, 1)
    assert.deepEqual(sink.mails[0]?.to, ['to@example.com'])
    assert.equal(sink.mails[0]?.from, 'from@example.com')
    assert.match(sink.mails[0]?.headers ?? '', /Message-ID: <abc@example.com>/)
  })

  for (const to of ['a@b.co\r\nBcc: evil@x.com', 'a@b.co,evil@x.com', 'a@b.co, Evil <evil@x.com>']) {
    it(`adds no recipient for ${JSON.stringify(to)}`, async () => {
      assert.equal((await transport.deliver({ ...email, to })).kind, 'refused')
      assert.equal(sink.mails.length, 0)
    })
  }

  it('knows that a message without a connection is not sent', async () => {
    const [port] = await freePorts(1)
    const unreachable = createSmtpTransport({ url: `smtp://127.0.0.1:${port}` })
    assert.equal((await unreachable.deliver(email)).kind, 'not-sent')
  })

  for (const at of ['rcpt', 'data'] as const) {
    it(`knows that a 4xx at ${at} is not sent`, async () => {
      sink.behave({ code: 451, text: 'later', at })
      assert.equal((await transport.deliver(email)).kind, 'not-sent')
    })
    it(`knows that a 5xx at ${at} is refused, in the server's words`, async () => {
      sink.behave({ code: 550, text: 'no such user', at })
      const delivery = await transport.deliver(email)
      assert.equal(delivery.kind, 'refused')
      assert.match('reason' in delivery ? delivery.reason : '', /no such user/)
    })
  }

  it('knows that it does not know, when the connection breaks between DATA and the answer', async () => {
    sink.behave('cut')
    assert.equal((await transport.deliver(email)).kind, 'unknown')
  })

  it('waits for a server that turns everybody away at the greeting', async () => {
    const server = createServer((socket) => socket.end('554 no service\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const turned = createSmtpTransport({ url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` })
    assert.equal((await turned.deliver(email)).kind, 'not-sent')
    server.close()
  })

  it('goes on over a new connection when the server has closed an idle one', async () => {
    assert.equal((await transport.deliver(email)).kind, 'taken')
    const { port } = sink
    await sink.close()
    sink = await startSmtpSink(undefined, port)
    const deliveries = [await transport.deliver(email)]
    while (deliveries.at(-1)?.kind === 'not-sent') deliveries.push(await transport.deliver(email))
    assert.equal(deliveries.at(-1)?.kind, 'taken')
    assert.equal(sink.mails.length, 1)
  })
})
