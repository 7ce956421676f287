// cspell:ignore joerg
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as immediately } from 'node:timers/promises'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import type { Email, SendHooks, MailTransport } from '../../src/smtp/transport.ts'
import { anEmail as email } from '../support/an-email.ts'
import { eventually } from '../support/eventually.ts'
import { startScriptedSmtp, type Script, type ScriptedSmtp } from '../support/scripted-smtp.ts'

describe('a response of a mail server', () => {
  let server: ScriptedSmtp
  let transport: MailTransport
  let isStarted = false
  const stopServer = async () => {
    if (!isStarted) return
    isStarted = false
    await transport.close()
    await server.close()
  }
  const startServer = async (script: Script, timeoutMs?: number) => {
    await stopServer()
    server = await startScriptedSmtp(script)
    isStarted = true
    transport = createSmtpTransport({
      server: readSmtpUrl(server.url),
      maxConnections: 1,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
  }
  const deliver = async (one: Partial<Email> = {}, hooks: Partial<SendHooks> = {}) => {
    const permit = await transport.permit('anybody', new AbortController().signal)
    return permit.deliver({ ...email, ...one }, { begin: () => Promise.resolve(true), ...hooks })
  }
  afterEach(stopServer)

  it('defers the message if it is about the sender, and rejects it if it is about the message', async () => {
    const [login, blocked] = ['530 5.7.0 Authentication required', '554 5.7.1 <to@example.com>: Client host blocked']
    const deferred = { kind: 'not-sent', serverFailed: true }
    for (const [at, words, expected] of [
      ['MAIL', login, { ...deferred, reason: login, failure: 'The server responded with 530 5.7.0 to MAIL FROM' }],
      ['MAIL', '552 5.3.4 too big', { kind: 'refused' }],
      // Logged without the text, which may contain an address.
      ['RCPT', login, { ...deferred, failure: 'The server responded with 530 5.7.0 to RCPT TO' }],
      ['RCPT', '550 5.1.8 <from@example.com>: Sender address rejected: Domain not found', deferred],
      ['RCPT', '450 4.2.1 to@example.com is busy', { kind: 'not-sent', serverFailed: false }],
      ['message', '550 5.4.5 Daily user sending limit exceeded', deferred],
      // Either may be meant.
      ['RCPT', blocked, { kind: 'refused', reason: blocked, doubt: 'The server responded with 554 5.7.1 to RCPT TO' }],
      // The recipient is not named yet, so the text is logged.
      ['EHLO', '554 5.7.1 not from there', { serverFailed: true, failure: '554 5.7.1 not from there' }],
    ] as const) {
      const isAsked = (command: string) => command.startsWith(at) || (at === 'EHLO' && command.startsWith('HELO'))
      await startServer({
        answer: (command) => (isAsked(command) ? words : undefined),
        message: () => (at === 'message' ? words : '250 taken'),
      })
      assert.partialDeepStrictEqual(await deliver(), expected, `${at}: ${words}`)
    }
  })

  it('rejects the message if the response to the sender is about the recipient’s address', async () => {
    await startServer({
      answer(command) {
        if (command.startsWith('EHLO')) return '250-here\r\n250 SMTPUTF8'
        return command.includes('SMTPUTF8') ? '550 5.6.7 internationalized addresses are not permitted' : undefined
      },
    })
    assert.equal((await deliver({ to: 'jörg@example.com' })).kind, 'refused')
    // The server and the connection are fine.
    assert.equal((await deliver()).kind, 'taken')
    assert.equal(server.commands.filter((command) => command.startsWith('EHLO')).length, 1)
  })

  it('is not asked for if the server does not support the characters of an address', async () => {
    await startServer({
      answer: (command) => (command.startsWith('EHLO') ? '250-here\r\n250 SIZE 1000000' : undefined),
    })
    const reason =
      'The mail server does not support addresses with characters outside of ASCII before the @ (SMTPUTF8, RFC 6531)'
    assert.deepEqual(await deliver({ to: 'jörg@example.com' }), { kind: 'refused', reason })
    assert.deepEqual(await deliver({ replyTo: 'Jörg <jörg@example.com>' }), { kind: 'refused', reason })
    assert.equal(
      (await deliver({ to: 'joerg@exämple.com', from: 'Jörg <a@example.com>', subject: 'Grüße' })).kind,
      'taken',
    )
    assert.ok(!server.commands.some((command) => /[\u0080-\uffff]/.test(command)))
  })

  const isCut = () => eventually('the connection is closed', () => (server.connections() === 0 ? true : undefined))

  it('leaves the outcome unknown if it is the response to a message, and not a rejection', async () => {
    for (const words of ['421 4.3.2 shutting down', '354 go on', '100 wait', '050 what', '600 what', '2', 'queued']) {
      await startServer({ message: () => words })
      assert.equal((await deliver()).kind, 'unknown', words)
      // More data on this connection could be read as part of a message.
      await isCut()
      assert.equal(server.commands.at(-1), 'DATA')
    }
  })

  it('prevents the message if it is the response to DATA, and not 354', async () => {
    for (const words of ['250 ok', '3540 go on']) {
      await startServer({ answer: (command) => (command === 'DATA' ? words : undefined) })
      let asked = 0
      const begin = () => Promise.resolve((asked += 1) > 0)
      assert.partialDeepStrictEqual(await deliver({}, { begin }), { kind: 'not-sent', serverFailed: true }, words)
      await isCut()
      assert.deepEqual([asked, server.commands.at(-1)], [0, 'DATA'])
    }
  })

  it('is not mistaken for the one to the message if it is surplus', async () => {
    for (const verb of ['220', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA'])
      for (const surplus of ['250 ok', '354 go on']) {
        const usual: Record<string, string> = { EHLO: '250-here\r\n250 AUTH PLAIN', AUTH: '235 in', DATA: '354 go on' }
        await startServer({
          greeting: verb === '220' ? `220 here\r\n${surplus}` : '220 here',
          answer(command) {
            const asked = command.slice(0, 4)
            const words = usual[asked] ?? '250 ok'
            return asked === verb ? `${words}\r\n${surplus}` : words
          },
        })
        await transport.close()
        transport = createSmtpTransport({ server: readSmtpUrl(server.url.replace('//', '//user:secret@')) })
        const { kind } = await deliver()
        await isCut()
        // A surplus 354 is detected at the next 354, which may come after a short message.
        assert.equal(kind, server.whole.length === 0 ? 'not-sent' : 'unknown', `${surplus} after ${verb}`)
      }
  })

  it('detects a surplus response before the message is sent', async () => {
    await startServer({
      answer(command, socket) {
        if (command.startsWith('MAIL')) return '250 ok\r\n250 ok'
        // Like a server that runs a filter first.
        if (command === 'DATA') socket.pause()
        return command === 'DATA' ? null : undefined
      },
    })
    assert.equal((await deliver()).kind, 'not-sent')
    await isCut()
  })

  for (const [words, kind] of [
    ['250 ok', 'not-sent'],
    ['552 5.3.4 too big', 'refused'],
  ] as const) {
    it(`returns ${kind} for a response before the end of the message, whether or not the claim succeeds: ${words}`, async () => {
      let socket: Socket | undefined
      await startServer({
        answer(_command, from) {
          socket = from
          return undefined
        },
      })
      const begin = () => {
        socket!.write(`${words}\r\n`)
        return new Promise<boolean>(() => undefined)
      }
      assert.equal((await deliver({}, { begin })).kind, kind)
      await isCut()
      assert.deepEqual(server.whole, [])
    })
  }

  for (const verb of ['RCPT', 'RSET']) {
    it(`does not mistake a surplus response after ${verb} for one to the next message`, async () => {
      let refusing = true
      await startServer({
        answer(command) {
          const asked = command.slice(0, 4)
          const words = asked === 'RCPT' ? '550 5.1.1 no such user' : '250 ok'
          return refusing && ['RCPT', 'RSET'].includes(asked) ? words + (asked === verb ? '\r\n250 ok' : '') : undefined
        },
      })
      assert.equal((await deliver()).kind, 'refused')
      await isCut()
      refusing = false
      assert.deepEqual([(await deliver()).kind, server.whole.length], ['taken', 1])
    })
  }

  it('reports a delivery before the connection is reset for the next one', async () => {
    await startServer({
      message: () => '451 4.3.0 not now',
      answer: (command) => (command === 'RSET' ? null : undefined),
    })
    assert.equal((await deliver()).kind, 'not-sent')
    // The connection is not reused before that.
    assert.equal(await transport.permitSoon('anybody'), undefined)
  })

  it('claims once, over one connection, if the server disappears', async () => {
    let cut: Socket | undefined
    await startServer({
      answer(command, socket) {
        if (command === 'DATA' && server.whole.length > 0) cut = socket
        return undefined
      },
    })
    assert.equal((await deliver()).kind, 'taken')
    let asked = 0
    const delivery = await deliver(
      {},
      {
        async begin() {
          asked += 1
          cut!.destroy()
          await once(cut!, 'close')
          return new Promise(() => undefined)
        },
      },
    )
    assert.deepEqual([delivery.kind, asked, server.whole.length], ['not-sent', 1, 1])
  })

  it('leaves nothing for a stalled server to accept later', async () => {
    let slow: Socket | undefined
    await startServer({
      answer(command, socket) {
        if (command === 'DATA') slow = socket.pause()
        return undefined
      },
    })
    const breakOff = new AbortController()
    const delivery = deliver({ text: 'A line of text.\r\n'.repeat(20_000) }, { breakOff: breakOff.signal })
    await eventually('the server stopped reading', () => slow)
    // By now, the kernel has buffered the whole message.
    for (let turn = 0; turn < 100; turn += 1) await immediately()
    breakOff.abort()
    assert.equal((await delivery).kind, 'unknown')
    const closed = new Promise<void>((resolve) => slow!.once('close', () => resolve()))
    slow!.resume()
    await closed
    assert.deepEqual(server.whole, [])
  })

  it('sends recipient domains in ASCII, because the server may not support Unicode', async () => {
    await startServer({})
    await deliver({ to: 'ada@exämple.de' })
    assert.deepEqual(server.whole, ['ada@xn--exmple-cua.de'])
  })

  it('closes the connection after endless empty lines', async () => {
    const flood = (socket: Socket): null => {
      const lines = Buffer.from('\r\n'.repeat(32_768))
      const flooding = setInterval(() => socket.write(lines), 1)
      socket.once('close', () => clearInterval(flooding))
      return null
    }
    await startServer({ answer: (command, socket) => (command.startsWith('RCPT') ? flood(socket) : undefined) })
    assert.equal((await deliver()).kind, 'not-sent')
    await eventually('the connection is closed', () => Promise.resolve(server.connections() === 0 || undefined))
  })

  /** Writes the lines of a response that never ends. */
  const drip = (socket: Socket): null => {
    const dripping = setInterval(() => socket.write('250-still thinking\r\n'), 20)
    socket.once('close', () => clearInterval(dripping))
    return null
  }
  for (const [where, script, kind] of [
    ['to EHLO', { answer: (command, socket) => (command.startsWith('EHLO') ? drip(socket) : undefined) }, 'not-sent'],
    ['to RCPT', { answer: (command, socket) => (command.startsWith('RCPT') ? drip(socket) : undefined) }, 'not-sent'],
    ['to a message', { message: drip }, 'unknown'],
  ] as [string, Script, string][]) {
    it(`stops waiting for a response that never ends, ${where}`, async () => {
      await startServer(script, 300)
      assert.equal((await deliver()).kind, kind)
      await eventually('the connection is closed', () => Promise.resolve(server.connections() === 0 || undefined))
      assert.notEqual(await transport.permitSoon('anybody'), undefined)
    })
  }
})
