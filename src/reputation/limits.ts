import type { ResultCounts } from '../messages/index.ts'

/** Numbers of messages. `attempted`: sent, or rejected by the mail server. `rejected`: by it, or by a hard bounce afterwards. */
export interface Outcomes {
  attempted: number
  sent: number
  rejected: number
  complained: number
  blocked: number
}

/** The rates by which mailbox providers judge a sender. */
export const REPUTATION_RULES = ['COMPLAINTS', 'HARD_BOUNCES', 'BLOCKED'] as const
type ReputationRule = (typeof REPUTATION_RULES)[number]

interface Limit {
  count: (outcomes: Outcomes) => number
  of: (outcomes: Outcomes) => number
  /** Shares of the emails, from which Dripline warns, and from which it pauses. */
  warnFrom: number
  pauseFrom: number
  /** With fewer emails than this, the share is not meaningful. */
  atLeast: number
  text: string
}

/**
 * The limits. Gmail and Yahoo ask senders to keep complaints below 0.1 %, and reject or hide mail from 0.3 %
 * (https://support.google.com/a/answer/81126, "spam rate").
 */
const LIMITS: Record<ReputationRule, Limit> = {
  COMPLAINTS: {
    count: ({ complained }) => complained,
    of: ({ sent }) => sent,
    warnFrom: 0.001,
    pauseFrom: 0.003,
    atLeast: 3,
    text: 'were reported as spam',
  },
  HARD_BOUNCES: {
    count: ({ rejected }) => rejected,
    of: ({ attempted }) => attempted,
    warnFrom: 0.02,
    pauseFrom: 0.05,
    atLeast: 10,
    text: 'failed or bounced hard',
  },
  BLOCKED: {
    count: ({ blocked }) => blocked,
    of: ({ sent }) => sent,
    warnFrom: 0.02,
    pauseFrom: 0.05,
    atLeast: 10,
    text: 'were blocked because of the sender or the content',
  },
}

/** The days of which an automation's emails are judged. */
export const JUDGED_DAYS = 7

/** How far a rate must have risen, compared with the rate at the last pause, before Dripline pauses again. */
const TOLERANCE = 2

/** The rates at which Dripline paused before. A person then decided to continue. */
export type ToleratedRates = Partial<Record<ReputationRule, number>>

export interface ReputationFinding {
  rule: ReputationRule
  isTooHigh: boolean
  /** A share of the emails, from 0 to 1. */
  rate: number
  /** A sentence. */
  text: string
}

/** Reads the outcomes from counters. */
export function outcomesOf(counts: ResultCounts): Outcomes {
  const sent = counts['SENT'] ?? 0
  // Rejected emails are among the failed ones. The numbers of receiving domains have only those.
  const failed = counts['FAILED'] ?? counts['REJECTED'] ?? 0
  return {
    attempted: sent + failed,
    sent,
    rejected: failed + (counts['HARD_BOUNCED'] ?? 0),
    complained: counts['COMPLAINED'] ?? 0,
    blocked: counts['BLOCKED'] ?? 0,
  }
}

/** Judges the outcomes of a campaign, an automation or a sender. @returns the rates that are high, the worst first */
export function judgeReputation(outcomes: Outcomes, tolerated: ToleratedRates = {}): ReputationFinding[] {
  return REPUTATION_RULES.flatMap((rule): ReputationFinding[] => {
    const { count, of, warnFrom, pauseFrom, atLeast, text } = LIMITS[rule]
    const rate = count(outcomes) / Math.max(1, of(outcomes))
    if (count(outcomes) < atLeast || rate < warnFrom) return []
    const isTooHigh = rate >= Math.max(pauseFrom, TOLERANCE * (tolerated[rule] ?? 0))
    return [
      { rule, isTooHigh, rate, text: `${percent(rate)} of its emails ${text}; the limit is ${percent(pauseFrom)}` },
    ]
  }).toSorted((a, b) => Number(b.isTooHigh) - Number(a.isTooHigh))
}

/** The rates to tolerate after a pause. */
export const toleratedRates = (findings: readonly ReputationFinding[], before: ToleratedRates): ToleratedRates => ({
  ...before,
  ...Object.fromEntries(findings.map(({ rule, rate }) => [rule, Math.max(rate, before[rule] ?? 0)])),
})

const percent = (rate: number): string => `${Number((rate * 100).toPrecision(2))} %`
