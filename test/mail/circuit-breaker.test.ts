import assert from 'node:assert/strict'
import { withCircuitBreaker } from '../../src/mail/circuit-breaker.ts'
import { createSmtpTransport } from '../../src/mail/smtp.ts'
import { readSmtpUrl } from '../../src/mail/smtp-url.ts'
import type { MailTransport } from '../../src/mail/transport.ts'
import { anEmail as email } from '../support/an-email.ts'
import { eventually } from '../support/eventually.ts'
import { startSmtpSink, type Behaviour, type SmtpSink } from '../support/smtp-sink.ts'

describe('a mail server that fails', () => {
  let sink: SmtpSink
  let transport: MailTransport
  let handedOver: number
  let changes: boolean[]
  let failures: (string | undefined)[]

  beforeEach(async () => {
    handedOver = 0
    changes = []
    failures = []
    sink = await startSmtpSink()
    const smtp = createSmtpTransport({ server: readSmtpUrl(sink.url) })
    const counting: MailTransport = {
      ...smtp,
      async permit(turn, signal) {
        const permit = await smtp.permit(turn, signal)
        return {
          ...permit,
          deliver(one, handOver) {
            handedOver += 1
            return permit.deliver(one, handOver)
          },
        }
      },
    }
    transport = withCircuitBreaker(counting, (open, failure) => {
      changes.push(open)
      failures.push(failure)
    })
  })
  afterEach(async () => {
    await transport.close()
    await sink.close()
  })

  const deliver = async (times: number) => {
    const kinds: string[] = []
    for (let n = 0; n < times; n += 1) {
      const permit = await transport.permit('anybody', new AbortController().signal)
      kinds.push((await permit.deliver(email, { begin: () => Promise.resolve(true) })).kind)
    }
    return kinds
  }
  const LATER = { code: 451, text: 'later' } as const

  const ways: [string, Behaviour, RegExp][] = [
    ['breaks off after DATA', 'cut', /^(Connection closed|.*ECONNRESET)/],
    [
      'says that it closes',
      { code: 421, text: 'closing for <to@example.com>', at: 'rcpt' },
      /^(Connection closed|It answered 421 to RCPT TO)$/,
    ],
  ]
  for (const [what, behaviour, failure] of ways) {
    it(`because it ${what}, opens the circuit, until it takes the one message that tries it`, async () => {
      sink.behave(behaviour)
      await deliver(5)
      assert.deepEqual([handedOver, changes], [5, [true]])
      assert.match(failures[0] ?? '', failure)
      assert.deepEqual(await deliver(20), Array(20).fill('not-sent'))
      assert.equal(handedOver, 5)
      sink.behave('accept')
      await eventually('it is tried again', async () => ((await deliver(1))[0] === 'taken' ? true : undefined))
      assert.equal(handedOver, 6)
      assert.deepEqual(changes, [true, false])
      assert.deepEqual(await deliver(3), ['taken', 'taken', 'taken'])
    })
  }

  it('that nobody reaches is told with the reason', async () => {
    await sink.close()
    await deliver(5)
    assert.deepEqual(changes, [true])
    assert.match(failures[0] ?? '', /ECONNREFUSED/)
  })

  it('is not given up for what it says about single messages', async () => {
    sink.behave({ ...LATER, at: 'rcpt' })
    assert.deepEqual(await deliver(12), Array(12).fill('not-sent'))
    assert.deepEqual([handedOver, changes], [12, []])
    sink.behave({ code: 550, text: 'no such user', at: 'rcpt' })
    assert.deepEqual(await deliver(12), Array(12).fill('refused'))
    assert.deepEqual([handedOver, changes], [24, []])
  })
})
