import assert from 'node:assert/strict'
import { judgeReputation, outcomesOf, toleratedRates } from '../../src/reputation/limits.ts'

describe('the limits of a reputation', () => {
  const judge = (counts: Record<string, number>, tolerated = {}) =>
    judgeReputation(outcomesOf(counts), tolerated).map(({ rule, isTooHigh }) => `${rule}${isTooHigh ? '!' : ''}`)

  const cases: [counts: Record<string, number>, expected: string[]][] = [
    [{}, []],
    [{ SENT: 10_000, COMPLAINED: 9, HARD_BOUNCED: 199, BLOCKED: 199 }, []],
    [{ SENT: 10_000, COMPLAINED: 10 }, ['COMPLAINTS']],
    [{ SENT: 10_000, COMPLAINED: 29 }, ['COMPLAINTS']],
    [{ SENT: 10_000, COMPLAINED: 30 }, ['COMPLAINTS!']],
    [{ SENT: 10_000, HARD_BOUNCED: 200 }, ['HARD_BOUNCES']],
    [{ SENT: 10_000, HARD_BOUNCED: 500 }, ['HARD_BOUNCES!']],
    [{ SENT: 9_500, FAILED: 500 }, ['HARD_BOUNCES!']],
    [{ FAILED: 10 }, ['HARD_BOUNCES!']],
    [{ SENT: 10_000, BLOCKED: 500 }, ['BLOCKED!']],
    [{ SENT: 10_000, COMPLAINED: 10, BLOCKED: 500 }, ['BLOCKED!', 'COMPLAINTS']],
    // Too few for a rate.
    [{ SENT: 10, COMPLAINED: 2 }, []],
    [{ SENT: 20, HARD_BOUNCED: 9 }, []],
    // Soft bounces are not caused by the sender.
    [{ SENT: 100, SOFT_BOUNCED: 90 }, []],
  ]
  it('are applied to the rates of complaints, hard bounces and blocked emails', () => {
    const deviations = cases
      .map(([counts, expected]) => ({ counts, expected, found: judge(counts) }))
      .filter(({ expected, found }) => found.join() !== expected.join())
    assert.deepEqual(deviations, [])
  })

  it('say which share of the emails', () => {
    const [finding] = judgeReputation(outcomesOf({ SENT: 20_000, COMPLAINED: 84 }))
    assert.equal(finding!.text, '0.42 % of its emails were reported as spam; the limit is 0.3 %')
  })

  it('are twice the rate at which a person decided to continue', () => {
    const tolerated = toleratedRates(judgeReputation(outcomesOf({ SENT: 1_000, COMPLAINED: 4 })), { BLOCKED: 0.1 })
    assert.deepEqual(tolerated, { BLOCKED: 0.1, COMPLAINTS: 0.004 })
    assert.deepEqual(judge({ SENT: 1_000, COMPLAINED: 7 }, tolerated), ['COMPLAINTS'])
    assert.deepEqual(judge({ SENT: 1_000, COMPLAINED: 8 }, tolerated), ['COMPLAINTS!'])
    assert.deepEqual(judge({ SENT: 1_000, HARD_BOUNCED: 50 }, tolerated), ['HARD_BOUNCES!'])
  })
})
