/** By what the best variant is found: by how many of those to whom it was sent. */
export const WINNER_BY = ['OPENED', 'CLICKED'] as const
export type WinnerBy = (typeof WINNER_BY)[number]

/** So many ways there are at most in which a campaign says it, beside its own. */
export const MAX_VARIANTS = 3

/** Another way in which a campaign says it: with another subject, or by another template. */
export interface Variant {
  subject: string | null
  templateId: string | null
  templateVersion: number | null
}

/**
 * Says it in several ways to a part of the recipients, by lot, and to the rest, some time after that is sent, in the way that was best.
 */
export interface AbTest {
  variants: Variant[]
  /** How many of a hundred recipients are asked: of a hundred, all get one by lot, and there is no rest. */
  testPercent: number
  winnerBy: WinnerBy
  afterMinutes: number
}

/** What came of a variant: how many got it, and how many of these opened it or clicked a link. */
export interface VariantResult {
  variant: number
  sent: number
  opened: number
  clicked: number
}

/**
 * The variant that the remaining recipients get: the one with the best rate. Of equal ones it is the first; without any opens or
 * clicks it is the campaign's own.
 */
export function pickWinner(results: readonly VariantResult[], winnerBy: WinnerBy): number {
  const rate = ({ sent, opened, clicked }: VariantResult) => (winnerBy === 'OPENED' ? opened : clicked) / sent
  const best = results.toSorted((a, b) => rate(b) - rate(a) || a.variant - b.variant)[0]
  return best && rate(best) > 0 ? best.variant : 0
}
