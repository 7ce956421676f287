import assert from 'node:assert/strict'
import { pickWinner, type VariantResult } from '../../src/campaigns/ab-test.ts'
import { drawVariant } from '../../src/campaigns/recipients.ts'

const result = (variant: number, sent: number, opened: number, clicked = 0): VariantResult => ({
  variant,
  sent,
  opened,
  clicked,
})

describe('the winner of an A/B test', () => {
  const cases: [what: string, results: VariantResult[], winner: number][] = [
    ['has the best rate, and not the most opens', [result(0, 100, 20), result(1, 10, 5)], 1],
    ['is the original if it has the best rate', [result(0, 10, 5), result(1, 10, 4), result(2, 10, 3)], 0],
    ['is the first of those with equal rates', [result(2, 20, 10), result(1, 10, 5), result(0, 10, 1)], 1],
    ['is the original if no email was opened', [result(0, 10, 0), result(1, 5, 0)], 0],
    ['is the original if no email was opened and the original was not sent', [result(1, 5, 0)], 0],
    ['is a variant that was opened if the original was not sent', [result(1, 5, 1), result(2, 5, 0)], 1],
    ['is the original if no email was sent', [], 0],
  ]
  it('has the best rate, and is the original if no rate is better', () => {
    for (const [what, results, winner] of cases) assert.equal(pickWinner(results, 'OPENED'), winner, what)
  })

  it('is chosen by clicks if the test is configured so', () => {
    const results = [result(0, 10, 9, 1), result(1, 10, 1, 2)]
    assert.equal(pickWinner(results, 'OPENED'), 0)
    assert.equal(pickWinner(results, 'CLICKED'), 1)
  })

  it('does not depend on the order of the results, and does not change it', () => {
    const results = [result(0, 10, 2), result(1, 10, 3), result(2, 10, 1)]
    assert.equal(pickWinner(results.toReversed(), 'OPENED'), pickWinner(results, 'OPENED'))
    assert.deepEqual(
      results.map(({ variant }) => variant),
      [0, 1, 2],
    )
  })
})

describe('the variant of a recipient', () => {
  const CAMPAIGN = '019abcde-0000-7000-8000-000000000001'
  const RECIPIENTS = 10_000
  const variant = { subject: 'Other', templateId: null, templateVersion: null }
  const draw = (testPercent: number, variants: number, campaign = CAMPAIGN) =>
    Array.from({ length: RECIPIENTS }, (_, n) =>
      drawVariant(campaign, `contact-${n}`, { testPercent, variants: Array.from({ length: variants }, () => variant) }),
    )
  const count = (drawn: (number | null)[], wanted: number | null) => drawn.filter((each) => each === wanted).length
  /** Five standard deviations of a share of all recipients. The draw is the same in each run. */
  const isShare = (found: number, share: number) =>
    Math.abs(found - RECIPIENTS * share) <= 5 * Math.sqrt(RECIPIENTS * share * (1 - share))

  it('is the same each time it is drawn', () => {
    assert.deepEqual(draw(30, 2), draw(30, 2))
  })

  it('differs between campaigns', () => {
    assert.notDeepEqual(draw(50, 1), draw(50, 1, '019abcde-0000-7000-8000-000000000002'))
  })

  it('is drawn for a share of the recipients, in equal shares for the original and the others', () => {
    for (const [testPercent, variants] of [
      [1, 1],
      [20, 2],
      [50, 3],
      [99, 1],
      [100, 1],
    ] as const) {
      const drawn = draw(testPercent, variants)
      assert.ok(isShare(count(drawn, null), 1 - testPercent / 100))
      for (let n = 0; n <= variants; n += 1) assert.ok(isShare(count(drawn, n), testPercent / 100 / (variants + 1)))
      assert.equal(count(drawn, variants + 1), 0)
    }
  })
})
