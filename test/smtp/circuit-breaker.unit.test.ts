import assert from 'node:assert/strict'
import { withCircuitBreaker } from '../../src/smtp/circuit-breaker.ts'
import type { Delivery, MailTransport } from '../../src/smtp/transport.ts'
import { anEmail } from '../support/an-email.ts'
import { aheadClock } from '../support/clock.ts'

const TAKEN: Delivery = { kind: 'taken', response: '250 ok' }
const CUT: Delivery = { kind: 'unknown', reason: 'broken off' }
const UNREACHABLE: Delivery = { kind: 'not-sent', serverFailed: true, reason: 'refused', failure: 'ECONNREFUSED' }
const GREYLISTED: Delivery = { kind: 'not-sent', serverFailed: false, reason: '450 4.2.0 Greylisted' }
const NO_SUCH_USER: Delivery = { kind: 'refused', reason: '550 5.1.1 no such user' }
const BLOCKED: Delivery = {
  kind: 'refused',
  reason: '554 5.7.1 blocked',
  doubt: 'The server responded with 554 5.7.1 to RCPT TO',
}

describe('the circuit breaker of a mail server', () => {
  const clock = aheadClock()
  let transport: MailTransport
  let answer: Delivery | Promise<Delivery>
  let delivered: number
  let changes: [isOpen: boolean, failure: string | undefined][]
  beforeEach(() => {
    delivered = 0
    changes = []
    const permit = {
      release: () => undefined,
      deliver() {
        delivered += 1
        return Promise.resolve(answer)
      },
    }
    transport = withCircuitBreaker(
      {
        permitSoon: () => Promise.resolve(permit),
        permit: () => Promise.resolve(permit),
        tryConnection: () => Promise.resolve(undefined),
        drain: () => undefined,
        close: () => Promise.resolve(),
      },
      (...change) => changes.push(change),
    )
  })

  let recipients = 0
  const another = () => `to-${(recipients += 1)}@example.com`
  const deliver = async (to = another()) => {
    const permit = await transport.permit('workspace', new AbortController().signal)
    return (await permit.deliver({ ...anEmail, to }, { begin: () => Promise.resolve(true) })).kind
  }
  const deliverAll = async (times: number, given: Delivery, to?: string) => {
    answer = given
    const kinds = []
    for (let n = 0; n < times; n += 1) kinds.push(await deliver(to))
    return kinds
  }

  for (const [what, failure] of [
    ['breaks off', CUT],
    ['is unreachable', UNREACHABLE],
  ] as const) {
    it(`opens for a server that ${what} five times in a row, and closes when it accepts the message that tries it`, async () => {
      await deliverAll(5, failure)
      assert.deepEqual(changes, [[true, 'failure' in failure ? failure.failure : undefined]])
      assert.equal(transport.isFailing?.(), true)
      assert.equal(await transport.permitSoon('workspace'), undefined)
      assert.deepEqual(await deliverAll(20, TAKEN), Array(20).fill('not-sent'))
      assert.equal(delivered, 5)
      clock.setForward(1_000)
      assert.equal(transport.isFailing?.(), false)
      assert.deepEqual(await deliverAll(3, TAKEN), ['taken', 'taken', 'taken'])
      assert.deepEqual(changes.at(-1), [false, undefined])
      assert.ok(await transport.permitSoon('workspace'))
    })
  }

  it('doubles the pause after each failed trial', async () => {
    await deliverAll(5, CUT)
    for (const pauseMs of [1_000, 2_000, 4_000]) {
      const before = delivered
      clock.setForward(pauseMs - 500)
      await deliverAll(1, CUT)
      assert.equal(delivered, before)
      clock.setForward(500)
      await deliverAll(1, CUT)
      assert.equal(delivered, before + 1)
    }
    assert.equal(changes.length, 1)
  })

  it('lets one message at a time try the server, and a second one if the first takes too long', async () => {
    await deliverAll(5, CUT)
    clock.setForward(1_000)
    const slow = Promise.withResolvers<Delivery>()
    answer = slow.promise
    const first = deliver()
    await new Promise(setImmediate)
    assert.equal(await deliver(), 'not-sent')
    clock.setForward(10_000)
    assert.deepEqual(await deliverAll(1, TAKEN), ['taken'])
    slow.resolve(TAKEN)
    assert.equal(await first, 'taken')
  })

  it('stays closed after responses about single messages', async () => {
    assert.deepEqual(await deliverAll(12, GREYLISTED), Array(12).fill('not-sent'))
    assert.deepEqual(await deliverAll(12, NO_SUCH_USER), Array(12).fill('refused'))
    assert.deepEqual([delivered, changes], [24, []])
  })

  it('stays closed while the server accepts messages between the failures', async () => {
    for (let n = 0; n < 3; n += 1) {
      await deliverAll(4, CUT)
      await deliverAll(1, TAKEN)
    }
    assert.deepEqual(changes, [])
  })

  it('opens and makes messages wait when a server rejects five recipients in a row with the same response', async () => {
    assert.deepEqual(await deliverAll(6, BLOCKED), [...Array<string>(4).fill('refused'), 'not-sent', 'not-sent'])
    assert.deepEqual(changes, [[true, 'The server responded with 554 5.7.1 to RCPT TO, for 5 recipients in a row']])
    clock.setForward(1_000)
    assert.deepEqual(await deliverAll(1, TAKEN), ['taken'])
    assert.deepEqual(await deliverAll(4, BLOCKED), Array(4).fill('refused'))
  })

  for (const [what, between] of [
    ['the server accepts a message', TAKEN],
    [
      'the server rejects with another response',
      { ...BLOCKED, doubt: 'The server responded with 550 5.7.1 to RCPT TO' },
    ],
  ] as const) {
    it(`stays closed after equal rejections if ${what} between them`, async () => {
      for (let n = 0; n < 3; n += 1) {
        assert.deepEqual(await deliverAll(4, BLOCKED), Array(4).fill('refused'))
        await deliverAll(1, between)
      }
      assert.deepEqual(changes, [])
    })
  }

  it('stays closed when the server repeatedly rejects the same recipient', async () => {
    assert.deepEqual(await deliverAll(12, BLOCKED, 'same@example.com'), Array(12).fill('refused'))
    assert.deepEqual(changes, [])
  })
})
