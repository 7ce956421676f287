/**
 * Whether a contact got what an automation or a campaign sends:
 * - ENTERED, NOT_ENTERED: whether they are or were in the automation
 * - SENT, NOT_SENT: whether the email of the campaign was sent to them
 * - WAITING: the email of the campaign is still to be sent
 */
export const OUTCOMES = ['ENTERED', 'NOT_ENTERED', 'SENT', 'NOT_SENT', 'WAITING'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Whether a fact is as needed. OPEN: it may still become true, or was not needed. */
export const FACT_STATES = ['TRUE', 'FALSE', 'OPEN'] as const
type FactState = (typeof FACT_STATES)[number]

/** One thing that must be true, and what was found. Times in texts are ISO 8601. */
export interface Fact {
  name: string
  state: FactState
  /** The condition, such as "Automation is active". */
  title: string
  /** The needed value, such as "active". */
  needs: string
  /** The value found, such as "paused". */
  found: string
  /** If it is false and decides: why the contact got nothing. */
  sentence: string
}

/** Why a contact got what an automation or a campaign sends, or did not. */
export interface Explanation {
  outcome: Outcome
  sentence: string
  /** In the order in which they are evaluated. */
  facts: Fact[]
  /** The fact that the sentence is about, if it is one of them. */
  decisive: Fact | undefined
  /** The most recent enrollment in the automation. */
  enrollmentId: string | null
  /** The message of the campaign. */
  messageId: string | null
}

/** Returns the first fact that is false. */
export const firstFalse = (facts: readonly Fact[]): Fact | undefined => facts.find(({ state }) => state === 'FALSE')

/** Writes a time for a sentence. The dashboard shows it in the zone of its reader. */
export const timeText = (at: Date): string => at.toISOString()
