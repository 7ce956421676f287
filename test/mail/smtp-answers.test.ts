import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as immediately } from 'node:timers/promises'
import { createSmtpTransport } from '../../src/mail/smtp.ts'
import { readSmtpUrl } from '../../src/mail/smtp-url.ts'
import type { Email, HandOver, MailTransport } from '../../src/mail/transport.ts'
import { anEmail as email } from '../support/an-email.ts'
import { eventually } from '../support/eventually.ts'
import { startScriptedSmtp, type Script, type ScriptedSmtp } from '../support/scripted-smtp.ts'

describe('what a mail server answers', () => {
  let server: ScriptedSmtp
  let transport: MailTransport
  const say = async (script: Script) => {
    server = await startScriptedSmtp(script)
    transport = createSmtpTransport({ server: readSmtpUrl(server.url), maxConnections: 1 })
  }
  const deliver = async (one: Partial<Email> = {}, handOver: Partial<HandOver> = {}) => {
    const permit = await transport.permit('anybody', new AbortController().signal)
    return permit.deliver({ ...email, ...one }, { begin: () => Promise.resolve(true), ...handOver })
  }
  afterEach(async () => {
    await transport.close()
    await server.close()
  })

  for (const words of [
    '530 5.7.0 Authentication required',
    '553 5.7.1 Sender address rejected: not owned by user',
    '550 5.4.5 Daily user sending limit exceeded',
  ]) {
    it(`of the sender, makes the message wait: ${words}`, async () => {
      await say({ answer: (command) => (command.startsWith('MAIL') ? words : undefined) })
      assert.deepEqual(await deliver(), {
        ...{ kind: 'not-sent', reason: words, serverFailed: true },
        failure: `It answered ${words.slice(0, 3)} to MAIL FROM`,
      })
    })
  }

  it('of the sender, refuses the message where it is about its size', async () => {
    await say({ answer: (command) => (command.startsWith('MAIL') ? '552 5.3.4 too big' : undefined) })
    assert.equal((await deliver()).kind, 'refused')
  })

  it('of a login that is wanted, makes the message wait, wherever it comes', async () => {
    await say({ answer: (command) => (command.startsWith('RCPT') ? '530 5.7.0 log in first' : undefined) })
    assert.equal((await deliver()).kind, 'not-sent')
  })

  it('is for logs without its words where they can hold an address, and whole where it knows none yet', async () => {
    const failureAt = async (asked: string, words: string) => {
      await say({ answer: (command) => (command.startsWith(asked) ? words : undefined) })
      const delivery = await deliver()
      return 'failure' in delivery ? delivery.failure : undefined
    }
    assert.equal(await failureAt('RCPT', '530 5.7.0 to@example.com: log in first'), 'It answered 530 to RCPT TO')
    await transport.close()
    await server.close()
    assert.equal(await failureAt('RCPT', '450 4.2.1 to@example.com is busy'), undefined)
    await transport.close()
    await server.close()
    const refusal = (command: string) => (/^(EHLO|HELO)/.test(command) ? '554 5.7.1 not from there' : undefined)
    await say({ answer: refusal })
    assert.partialDeepStrictEqual(await deliver(), { serverFailed: true, failure: '554 5.7.1 not from there' })
  })

  it('of its own end, behind a message, says nothing of the message', async () => {
    await say({ message: () => '421 4.3.2 shutting down' })
    assert.equal((await deliver()).kind, 'unknown')
  })

  it('of a message is told before it begins anew for the next one', async () => {
    await say({ message: () => '451 4.3.0 not now', answer: (command) => (command === 'RSET' ? null : undefined) })
    assert.equal((await deliver()).kind, 'not-sent')
    // The connection is not given to another before that.
    assert.equal(await transport.permitSoon('anybody'), undefined)
  })

  it('nothing, and is gone: whether a message may flow is asked once, and over one connection', async () => {
    let cut: Socket | undefined
    await say({
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

  it('nothing, because it does not read: what is broken off is not taken later', async () => {
    let slow: Socket | undefined
    await say({
      answer(command, socket) {
        if (command === 'DATA') slow = socket.pause()
        return undefined
      },
    })
    const breakOff = new AbortController()
    const delivery = deliver({ text: 'A line of text.\r\n'.repeat(20_000) }, { breakOff: breakOff.signal })
    await eventually('it does not read', () => slow)
    // The whole message is with the kernel then.
    for (let turn = 0; turn < 100; turn += 1) await immediately()
    breakOff.abort()
    assert.equal((await delivery).kind, 'unknown')
    const closed = new Promise<void>((resolve) => slow!.once('close', () => resolve()))
    slow!.resume()
    await closed
    assert.deepEqual(server.whole, [])
  })

  it('to a domain as the DNS writes it, because it may not know another way', async () => {
    await say({})
    await deliver({ to: 'ada@exämple.de' })
    assert.deepEqual(server.whole, ['ada@xn--exmple-cua.de'])
  })
})
