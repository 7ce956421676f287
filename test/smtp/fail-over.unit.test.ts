import assert from 'node:assert/strict'
import { startSmtpSink, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'
import { withCircuitBreaker } from '../../src/smtp/circuit-breaker.ts'
import { withFailOver } from '../../src/smtp/fail-over.ts'
import { createSmtpTransport } from '../../src/smtp/smtp.ts'
import { readSmtpUrl } from '../../src/smtp/smtp-url.ts'
import type { MailTransport } from '../../src/smtp/transport.ts'
import { anEmail as email } from '../support/an-email.ts'
import { eventually } from '../support/eventually.ts'
import { freePorts } from '../support/ports.ts'

describe('fail-over between mail servers', () => {
  let first: SmtpSink
  let second: SmtpSink
  let transport: MailTransport
  let asked: number
  const guarded = (url: string) =>
    withCircuitBreaker(createSmtpTransport({ server: readSmtpUrl(url), maxConnections: 2 }), () => undefined)
  beforeEach(async () => {
    asked = 0
    first = await startSmtpSink()
    second = await startSmtpSink()
    transport = withFailOver([guarded(first.url), guarded(second.url)])
  })
  afterEach(async () => {
    await transport.close()
    await first.close()
    await second.close()
  })

  const deliver = async (more: object = {}) => {
    const permit = await transport.permit('anybody', new AbortController().signal)
    const begin = () => {
      asked += 1
      return Promise.resolve(true)
    }
    return permit.deliver(email, { begin, ...more })
  }
  const taken = () => [first.mails.length, second.mails.length]

  it('uses the first server while it works', async () => {
    assert.equal((await deliver()).kind, 'taken')
    assert.deepEqual(taken(), [1, 0])
  })

  it('sends through the next server when the first is unreachable', async () => {
    await first.close()
    assert.equal((await deliver()).kind, 'taken')
    assert.deepEqual([taken(), asked], [[0, 1], 1])
  })

  it('tries the next server if the first certainly did not accept the message, and claims it once', async () => {
    first.behave({ code: 550, text: '5.4.5 Daily user sending limit exceeded', at: 'data' })
    assert.equal((await deliver({ mayBeginAgain: () => true })).kind, 'taken')
    assert.deepEqual([taken(), asked], [[0, 1], 1])
    // By then, a request may have been promised that no further transmission begins.
    for (const mayBeginAgain of [() => false, undefined])
      assert.equal((await deliver({ mayBeginAgain })).kind, 'not-sent')
    assert.deepEqual(taken(), [0, 1])
  })

  for (const [what, behavior, kind] of [
    ['is rejected', { code: 550, text: '5.1.1 No such user', at: 'rcpt' }, 'refused'],
    ['is deferred because of its recipient', { code: 450, text: '4.2.0 Greylisted', at: 'rcpt' }, 'not-sent'],
    ['may have been accepted', 'cut', 'unknown'],
  ] as const) {
    it(`does not use the next server for a message that ${what}`, async () => {
      first.behave(behavior)
      // The second server is up, and the claim is recent. Only the rule keeps the message from it.
      assert.equal((await deliver({ mayBeginAgain: () => true })).kind, kind)
      assert.deepEqual(taken(), [0, 0])
      await first.close()
      assert.equal((await deliver()).kind, 'taken')
      assert.deepEqual(taken(), [0, 1])
    })
  }

  it('skips a failed server, including for messages that do not wait, and returns to it later', async () => {
    const port = first.port
    await first.close()
    for (let n = 0; n < 6; n += 1) assert.equal((await deliver()).kind, 'taken')
    const permit = await eventually('a slot is available', () => transport.permitSoon('anybody'))
    assert.equal((await permit.deliver(email, { begin: () => Promise.resolve(true) })).kind, 'taken')
    assert.deepEqual(taken(), [0, 7])
    first = await startSmtpSink(undefined, port)
    await eventually('the first server is used again', async () => {
      assert.equal((await deliver()).kind, 'taken')
      return first.mails.length > 0 ? true : undefined
    })
  })

  it('skips a server that stalls on every message', async () => {
    await transport.close()
    const held = Promise.withResolvers<void>()
    const slow = await startSmtpSink(() => held.promise)
    transport = withFailOver([guarded(slow.url), guarded(second.url)], { stalledMs: 200 })
    const waiting = [deliver(), deliver()]
    await eventually('both messages are in flight', () => (slow.mails.length === 2 ? true : undefined))
    await eventually('the next message is sent through the other server', async () => {
      const late = AbortSignal.timeout(300)
      const permit = await transport.permit('anybody', late).catch(() => undefined)
      return (await permit?.deliver(email, { begin: () => Promise.resolve(true) }))?.kind === 'taken' ? true : undefined
    })
    assert.ok(second.mails.length > 0)
    held.resolve()
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ kind }) => kind),
      ['taken', 'taken'],
    )
    await slow.close()
  })

  it('names the server that rejects a connection', async () => {
    assert.equal(await transport.tryConnection(), undefined)
    await second.close()
    assert.match((await transport.tryConnection()) ?? '', /^server 2: /)
  })

  it('defers a message with the reasons if all servers fail', async () => {
    const [port] = await freePorts(1)
    await transport.close()
    transport = withFailOver([guarded(`smtp://127.0.0.1:${port}`), guarded(`smtp://127.0.0.1:${port}`)])
    const delivery = await deliver()
    assert.equal(delivery.kind, 'not-sent')
    assert.match((delivery as { reason: string }).reason, /; next server: /)
    assert.equal(asked, 0)
  })
})
