/** Stands for no step: the enrollment as a whole, or, for WAITING enrollments, the end of the sequence. */
export const NO_STEP = '00000000-0000-0000-0000-000000000000'

/** The columns of a receiving domain's numbers. */
export const DOMAIN_COLUMNS = [
  ...['sent', 'rejected', 'hard_bounced', 'soft_bounced', 'blocked', 'complained', 'unsubscribed', 'opened', 'clicked'],
  'machine_opened',
]

/** Days begin on a quarter of an hour in every time zone. */
const QUARTER_MS = 15 * 60_000

/** The rows that a counter counts: those of a step of an automation, or of a variant of a campaign, at a time. */
export interface CounterKey {
  workspaceId: string
  automationId: string
  stepId: string
  at: Date
}

export interface CounterRow extends Omit<CounterKey, 'at'> {
  /** Rounded down to a quarter of an hour: ISO 8601. */
  at: string
  counter: string
  change: number
}

/** The changes of counters that a transaction makes, added up. */
export class CounterChanges {
  private readonly rows = new Map<string, CounterRow>()

  add({ workspaceId, automationId, stepId, at: exact }: CounterKey, counter: string, change: number): void {
    const at = new Date(Math.floor(exact.getTime() / QUARTER_MS) * QUARTER_MS).toISOString()
    const key = [workspaceId, automationId, stepId, at, counter].join(' ')
    const row = this.rows.get(key)
    if (row) row.change += change
    else this.rows.set(key, { workspaceId, automationId, stepId, at, counter, change })
  }

  /** The changes that are not 0. */
  list(): CounterRow[] {
    return [...this.rows.values()].filter(({ change }) => change !== 0)
  }
}
