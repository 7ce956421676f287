import assert from 'node:assert/strict'
import { ProviderPace } from '../../src/smtp/provider-pace.ts'

/** Sends as many emails to a provider as it may for some seconds of virtual time. `accepts` is the provider's decision. */
class Sender {
  now = 0
  readonly told: [string, number | null][] = []
  readonly pace = new ProviderPace(
    (...args) => void this.told.push(args),
    () => this.now,
  )
  readonly to: string
  accepted = 0
  deferred = 0
  private readonly accepts: (now: number) => boolean

  constructor(to: string, accepts: (now: number) => boolean) {
    this.to = to
    this.accepts = accepts
  }

  sendFor(seconds: number): { accepted: number; deferred: number } {
    const before = { accepted: this.accepted, deferred: this.deferred }
    for (const end = this.now + seconds * 1_000; this.now < end;) {
      const provider = this.pace.limitedProviderOf(this.to)
      const waitMs = provider === undefined ? 2 : this.pace.take(provider, Infinity)!
      this.now += waitMs
      if (this.accepts(this.now)) {
        this.accepted += 1
        this.pace.accepted(this.to)
      } else {
        this.deferred += 1
        this.pace.tooFast(this.to)
      }
    }
    return { accepted: this.accepted - before.accepted, deferred: this.deferred - before.deferred }
  }
}

/** A provider that accepts a number of emails in each second. */
function perSecond(limit: () => number) {
  let second = -1
  let count = 0
  return (now: number) => {
    const current = Math.floor(now / 1_000)
    if (current !== second) count = 0
    second = current
    count += 1
    return count <= limit()
  }
}

/** A provider with a token bucket. */
function tokens(rate: number, burst: number) {
  let left = burst
  let last = 0
  return (now: number) => {
    left = Math.min(burst, left + ((now - last) / 1_000) * rate)
    last = now
    if (left < 1) return false
    left -= 1
    return true
  }
}

describe('the pace of a receiving provider', () => {
  it('has no limit until the provider says that it gets mail too fast', () => {
    const sender = new Sender('ada@example.com', () => true)
    assert.equal(sender.sendFor(2).accepted, 1_000)
    assert.equal(sender.pace.limitedProviderOf('ada@example.com'), undefined)
    assert.deepEqual(sender.told, [])
  })

  for (const [what, rate, used, share, accepts] of [
    ['20 a second', 20, 0.9, 0.02, perSecond(() => 20)],
    ['200 a second', 200, 0.9, 0.02, perSecond(() => 200)],
    ['20 a second with bursts of 5', 20, 0.9, 0.02, tokens(20, 5)],
    ['one a second', 1, 0.85, 0.12, tokens(1, 1)],
  ] as const)
    it(`uses at least ${used * 100} % of ${what}, with at most ${share * 100} % deferred`, () => {
      const sender = new Sender('ada@example.com', accepts)
      sender.sendFor(300)
      const { accepted, deferred } = sender.sendFor(600)
      assert.ok(accepted >= used * rate * 600, `${accepted} accepted`)
      assert.ok(deferred <= share * (accepted + deferred), `${deferred} deferred, ${accepted} accepted`)
    })

  it('limits the domains of one provider together, and no other provider', () => {
    const { pace, told } = new Sender('', () => true)
    pace.tooFast('ada@googlemail.com')
    assert.equal(pace.limitedProviderOf('bob@GMAIL.com'), 'gmail.com')
    assert.equal(pace.limitedProviderOf('ada@example.com'), undefined)
    assert.deepEqual(told, [['gmail.com', 1]])
  })

  it('slows down to a few emails a minute if the provider accepts nothing', () => {
    const sender = new Sender('ada@example.com', () => false)
    sender.sendFor(3_600)
    const { deferred } = sender.sendFor(3_600)
    assert.ok(deferred <= 180, `${deferred} attempts in an hour`)
  })

  it('is fast again within minutes if the provider lifts its limit', () => {
    let limit = 2
    const sender = new Sender(
      'ada@example.com',
      perSecond(() => limit),
    )
    sender.sendFor(120)
    limit = 200
    sender.sendFor(180)
    assert.ok(sender.sendFor(10).accepted >= 1_000)
  })

  it('gives single emails turns while a campaign takes every one it gets', () => {
    const sender = new Sender('ada@example.com', () => true)
    const { pace } = sender
    pace.tooFast('ada@example.com')
    let [campaign, single, askAt] = [0, 0, 2_000]
    for (; sender.now < 120_000; sender.now += 5) {
      // Keeps the rate at one or two emails per second.
      if (sender.now % 20_000 === 1_000) pace.tooFast('ada@example.com')
      pace.accepted('ada@example.com')
      if (pace.take('example.com', 250) !== undefined) campaign += 1
      if (sender.now < askAt) continue
      const turn = pace.takeOrReserve('example.com', 250)
      if ('waitMs' in turn) single += 1
      askAt = sender.now + ('waitMs' in turn ? 10_000 : turn.laterMs)
    }
    assert.ok(single >= 8, `${single} single emails`)
    assert.ok(campaign >= 4 * single, `${campaign} emails of the campaign, ${single} single ones`)
  })

  it('ends ten minutes after the last "too fast"', () => {
    const sender = new Sender('ada@example.com', () => true)
    sender.pace.tooFast('ada@example.com')
    sender.now += 599_000
    assert.equal(sender.pace.limitedProviderOf('ada@example.com'), 'example.com')
    sender.now += 1_000
    assert.equal(sender.pace.limitedProviderOf('ada@example.com'), undefined)
    assert.deepEqual(sender.told.at(-1), ['example.com', null])
  })

  it('lets emails without a turn come back slightly faster than they may be sent, in groups', () => {
    const { pace } = new Sender('', () => true)
    for (let n = 0; n < 20; n += 1) pace.accepted('ada@example.com')
    pace.tooFast('ada@example.com')
    const waits = Array.from({ length: 180 }, () => pace.later('example.com'))
    assert.ok(waits.every((ms) => ms % 500 === 0))
    // 18 a second, overbooked by a quarter.
    assert.equal(waits.at(-1), 8_000)
  })
})
