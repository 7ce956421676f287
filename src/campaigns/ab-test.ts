/** Rates by which the winner of an A/B test is chosen. */
export const WINNER_CRITERIA = ['OPENED', 'CLICKED'] as const
export type WinnerBy = (typeof WINNER_CRITERIA)[number]

/** Maximum number of variants, in addition to the campaign's own content. */
export const MAX_VARIANTS = 3

/** A variant of an A/B test: another subject, or another template. */
export interface Variant {
  subject: string | null
  templateId: string | null
  templateVersion: number | null
}

/** Sends variants to a random part of the recipients, and later the best variant to the rest. */
export interface AbTest {
  variants: Variant[]
  /** Percentage of the recipients that the test is sent to. With 100, every recipient gets a random variant. */
  testPercent: number
  winnerBy: WinnerBy
  afterMinutes: number
}

/** Result of a variant: how many recipients got it, and how many of them opened it or clicked a link. */
export interface VariantResult {
  variant: number
  sent: number
  opened: number
  clicked: number
}

/**
 * Picks the variant for the remaining recipients: the one with the best rate. If several are tied, the first one wins. Without
 * any opens or clicks, the campaign's own content wins.
 */
export function pickWinner(results: readonly VariantResult[], winnerBy: WinnerBy): number {
  const rate = ({ sent, opened, clicked }: VariantResult) => (winnerBy === 'OPENED' ? opened : clicked) / sent
  const best = results.toSorted((a, b) => rate(b) - rate(a) || a.variant - b.variant)[0]
  return best && rate(best) > 0 ? best.variant : 0
}
