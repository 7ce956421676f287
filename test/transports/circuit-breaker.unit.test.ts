import assert from 'node:assert/strict'
import { withCircuitBreaker } from '../../src/transports/circuit-breaker.ts'
import { createSmtpTransport } from '../../src/transports/smtp.ts'
import { readSmtpUrl } from '../../src/transports/smtp-url.ts'
import type { Delivery, MailTransport } from '../../src/transports/transport.ts'
import { anEmail as email } from '../support/an-email.ts'
import { aheadClock } from '../support/clock.ts'
import { eventually } from '../support/eventually.ts'
import { startSmtpSink, type Behaviour, type SmtpSink } from '../../scripts/cluster/smtp-sink.ts'

describe('a mail server that fails', () => {
  let sink: SmtpSink
  let transport: MailTransport
  let handedOver: number
  let gate: Promise<void> | undefined
  let changes: boolean[]
  let whose: Set<string | undefined>
  let failures: (string | undefined)[]

  beforeEach(async () => {
    handedOver = 0
    changes = []
    whose = new Set()
    failures = []
    gate = undefined
    sink = await startSmtpSink(() => gate)
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
    transport = withCircuitBreaker(counting, (open, failure, turn) => {
      changes.push(open)
      whose.add(turn)
      failures.push(failure)
    })
  })
  afterEach(async () => {
    await transport.close()
    await sink.close()
  })

  const deliver = async (times: number, to = () => email.to, turn = 'anybody') => {
    const kinds: string[] = []
    for (let n = 0; n < times; n += 1) {
      const permit = await transport.permit(turn, new AbortController().signal)
      kinds.push((await permit.deliver({ ...email, to: to() }, { begin: () => Promise.resolve(true) })).kind)
    }
    return kinds
  }
  let recipients = 0
  const another = () => `to-${(recipients += 1)}@example.com`
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
    assert.deepEqual([changes, [...whose]], [[true], [undefined]])
    assert.match(failures[0] ?? '', /ECONNREFUSED/)
  })

  const BLOCKED = { code: 554, text: '5.7.1 client host is blocked', at: 'rcpt' } as const

  it('that refuses recipient after recipient alike refuses us: the messages wait, until it takes one', async () => {
    sink.behave(BLOCKED)
    assert.deepEqual(await deliver(6, another), [...Array<string>(4).fill('refused'), 'not-sent', 'not-sent'])
    // The one that came fifth has opened the circuit.
    assert.deepEqual([handedOver, changes], [5, [true]])
    assert.equal(failures[0], 'It answered 554 5.7.1 to RCPT TO, for 5 recipients in a row')
    await eventually('it is tried again', async () => {
      assert.deepEqual(await deliver(1, another), ['not-sent'])
      return handedOver === 6 || undefined
    })
    sink.behave('accept')
    await eventually('it takes one', async () => ((await deliver(1))[0] === 'taken' ? true : undefined))
    assert.deepEqual(changes, [true, false])
    sink.behave(BLOCKED)
    assert.deepEqual(await deliver(4, another), Array(4).fill('refused'))
  })

  for (const [what, between] of [
    ['it takes a message', () => sink.behave('accept')],
    ['it answers another thing', () => sink.behave({ ...BLOCKED, code: 550 })],
  ] as const) {
    it(`is not given up for refusals alike where ${what} between them`, async () => {
      for (let n = 0; n < 3; n += 1) {
        sink.behave(BLOCKED)
        assert.deepEqual(await deliver(4, another), Array(4).fill('refused'))
        between()
        await deliver(1, another)
      }
      assert.deepEqual(changes, [])
    })
  }

  it('is not given up for one recipient that it refuses again and again', async () => {
    sink.behave(BLOCKED)
    assert.deepEqual(await deliver(12), Array(12).fill('refused'))
    assert.deepEqual(changes, [])
  })

  it('is not given up for a list of recipients that there are not', async () => {
    sink.behave({ code: 550, text: '5.1.1 no such user', at: 'rcpt' })
    assert.deepEqual(await deliver(12, another), Array(12).fill('refused'))
    assert.deepEqual(changes, [])
  })

  it('is not given up for what it says about single messages', async () => {
    sink.behave({ ...LATER, at: 'rcpt' })
    assert.deepEqual(await deliver(12), Array(12).fill('not-sent'))
    assert.deepEqual([handedOver, changes], [12, []])
    sink.behave({ code: 550, text: 'no such user', at: 'rcpt' })
    assert.deepEqual(await deliver(12), Array(12).fill('refused'))
    assert.deepEqual([handedOver, changes], [24, []])
  })

  for (const [what, behaviour] of [
    ['refuses its recipients alike', BLOCKED],
    ['breaks off its messages', 'cut'],
  ] as const) {
    it(`is given up for one workspace alone, where it ${what}: others are not kept waiting`, async () => {
      sink.behave(behaviour)
      await deliver(30, another, 'one')
      assert.deepEqual([changes, [...whose]], [[true], ['one']])
      sink.behave('accept')
      assert.deepEqual(await deliver(3, another, 'other'), ['taken', 'taken', 'taken'])
      assert.notEqual(await transport.permitSoon('other'), undefined)
      assert.equal(await transport.permitSoon('one'), undefined)
    })
  }

  it('keeps nobody waiting for the one message that tries it', async () => {
    sink.behave('cut')
    await deliver(5)
    sink.behave('accept')
    const answer = Promise.withResolvers<void>()
    gate = answer.promise
    const permits = await Promise.all(
      Array.from({ length: 2 }, () => transport.permit('anybody', new AbortController().signal)),
    )
    const trying = eventually('it is tried', async () => {
      const [kind] = await deliver(1)
      return kind === 'taken' || undefined
    })
    await eventually('the server has it', () => Promise.resolve(sink.mails.length === 1 || undefined))
    const others = permits.map((permit) => permit.deliver(email, { begin: () => Promise.resolve(true) }))
    assert.deepEqual(
      (await Promise.all(others)).map(({ kind }) => kind),
      ['not-sent', 'not-sent'],
    )
    answer.resolve()
    await trying
  })

  it('that nobody reached is not tried by who has failed before, while others wait for it', async () => {
    sink.behave('cut')
    await deliver(5, another, 'suspect')
    const { port } = sink
    await sink.close()
    await deliver(5, another, 'innocent')
    assert.deepEqual([...whose], ['suspect', undefined])
    // One that waits has been seen waiting; from then on the other one's are not what tries.
    assert.deepEqual(await deliver(1, another, 'innocent'), ['not-sent'])
    const before = handedOver
    sink = await startSmtpSink(() => gate, port)
    for (let n = 0; n < 20; n += 1) {
      await deliver(1, another, 'suspect')
      await new Promise((soon) => setTimeout(soon, 100))
    }
    assert.equal(handedOver, before)
    await eventually('it is tried', async () =>
      (await deliver(1, another, 'innocent'))[0] === 'taken' ? true : undefined,
    )
    assert.equal(handedOver, before + 1)
  })

  it('says nothing of itself where it was given little time: neither opens that a circuit, nor closes it', async () => {
    const answers: Delivery[] = []
    const scripted = withCircuitBreaker(
      {
        permitSoon: () => Promise.resolve(undefined),
        permit: () =>
          Promise.resolve({ release: () => undefined, deliver: () => Promise.resolve(answers.shift() ?? FAILED) }),
        tryConnection: () => Promise.resolve(undefined),
        drain: () => undefined,
        close: () => Promise.resolve(),
      },
      (open) => changes.push(open),
    )
    const FAILED: Delivery = { kind: 'unknown', reason: 'broken off' }
    const HURRIED: Delivery = { kind: 'not-sent', reason: 'too slow', serverFailed: false, inconclusive: true }
    answers.push(FAILED, FAILED, HURRIED, FAILED, FAILED, HURRIED, FAILED)
    for (let n = 0; n < 7; n += 1) {
      const permit = await scripted.permit('one', new AbortController().signal)
      await permit.deliver(email, { begin: () => Promise.resolve(true) })
    }
    assert.deepEqual(changes, [true])
    await new Promise((pause) => setTimeout(pause, 1_100))
    answers.push(HURRIED, HURRIED)
    for (let n = 0; n < 2; n += 1) {
      const permit = await scripted.permit('one', new AbortController().signal)
      await permit.deliver(email, { begin: () => Promise.resolve(true) })
    }
    assert.deepEqual([changes, answers], [[true], []])
  })

  it('that fails for several workspaces is given up for all', async () => {
    sink.behave('cut')
    await deliver(3, another, 'one')
    await deliver(1, another, 'other')
    assert.deepEqual(changes, [])
    await deliver(1, another, 'other')
    assert.deepEqual([changes, [...whose]], [[true], [undefined]])
    assert.deepEqual(await deliver(2, another, 'third'), ['not-sent', 'not-sent'])
    assert.equal(handedOver, 5)
  })

  describe('and is well again', () => {
    const clock = aheadClock()
    /** So many tries of each, ten minutes apart: longer than any pause. */
    const tryOften = async (times: number, ...turns: string[]) => {
      const kinds = new Set<string>()
      for (let n = 0; n < times; n += 1) {
        clock.setForward(600_000)
        for (const turn of turns) for (const kind of await deliver(1, another, turn)) kinds.add(kind)
      }
      return kinds
    }
    const FULL = { code: 452, text: '4.3.1 Insufficient system storage', at: 'rcpt' } as const

    it('is mailed by a workspace that nobody reached it for, and that it then failed', async () => {
      const { port } = sink
      await sink.close()
      await deliver(6, another)
      sink = await startSmtpSink(() => gate, port)
      sink.behave(FULL)
      await tryOften(8, 'anybody')
      sink.behave('accept')
      assert.ok((await tryOften(2, 'anybody')).has('taken'))
    })

    it('is mailed by all workspaces that it failed', async () => {
      sink.behave(FULL)
      await tryOften(12, 'one', 'two')
      sink.behave('accept')
      await tryOften(2, 'one', 'two')
      assert.deepEqual(await tryOften(1, 'one', 'two'), new Set(['taken']))
    })

    it('is mailed by one that it failed, when the one that was to try first never comes again', async () => {
      sink.behave('cut')
      await deliver(5, another, 'suspect')
      const { port } = sink
      await sink.close()
      await deliver(6, another, 'innocent')
      sink = await startSmtpSink(() => gate, port)
      assert.ok((await tryOften(2, 'suspect')).has('taken'))
    })
  })

  it('is tried by another one when the one that tries takes long, and by no second one of the same', async () => {
    const smtp = createSmtpTransport({ server: readSmtpUrl(sink.url) })
    const patient = withCircuitBreaker(smtp, () => undefined, { trialMs: 100 })
    const deliverTo = async (turn: string) => {
      const permit = await patient.permit(turn, new AbortController().signal)
      return (await permit.deliver(email, { begin: () => Promise.resolve(true) })).kind
    }
    try {
      const { port } = sink
      await sink.close()
      for (let n = 0; n < 5; n += 1) await deliverTo('other')
      const answer = Promise.withResolvers<void>()
      gate = answer.promise
      sink = await startSmtpSink(() => gate, port)
      let slow: Promise<string> | undefined
      await eventually('the slow one tries', async () => {
        slow = deliverTo('slow')
        return (await Promise.race([slow, new Promise((soon) => setTimeout(soon, 50))])) === undefined || undefined
      })
      assert.equal(await deliverTo('slow'), 'not-sent')
      gate = undefined
      await eventually('the other one is let through', async () => (await deliverTo('other')) === 'taken' || undefined)
      answer.resolve()
      assert.equal(await slow, 'taken')
    } finally {
      await patient.close()
    }
  })
})
