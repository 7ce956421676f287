/** Stands for no step: the enrollment as a whole, or, for WAITING enrollments, the end of the sequence. */
export const NO_STEP = '00000000-0000-0000-0000-000000000000'

/** The columns of a receiving domain's numbers. */
export const DOMAIN_COLUMNS = [
  'sent',
  'rejected',
  'hard_bounced',
  'soft_bounced',
  'blocked',
  'complained',
  'unsubscribed',
  'opened',
  'clicked',
  'machine_opened',
] as const

export type DomainColumn = (typeof DOMAIN_COLUMNS)[number]

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

/** The messages that a receiving domain got on a day. */
export interface DomainKey {
  workspaceId: string
  domain: string
  /** A UTC day: `YYYY-MM-DD`. */
  day: string
}

export interface DomainRow extends DomainKey {
  changes: Partial<Record<DomainColumn, number>>
}

/** A link in the emails of a step or variant. */
export interface LinkKey {
  automationId: string
  stepId: string
  url: string
}

export interface LinkRow extends LinkKey {
  change: number
}

/** The changes of counters that a transaction makes, added up. */
export class CounterChanges {
  private readonly counters = new Map<string, CounterRow>()
  private readonly domains = new Map<string, DomainRow>()
  private readonly links = new Map<string, LinkRow>()

  add({ workspaceId, automationId, stepId, at: exact }: CounterKey, counter: string, change: number): void {
    const at = new Date(Math.floor(exact.getTime() / QUARTER_MS) * QUARTER_MS).toISOString()
    const key = [workspaceId, automationId, stepId, at, counter].join(' ')
    const row = this.counters.get(key)
    if (row) row.change += change
    else this.counters.set(key, { workspaceId, automationId, stepId, at, counter, change })
  }

  addToDomain(of: DomainKey, column: DomainColumn, change: number): void {
    const key = [of.workspaceId, of.day, of.domain].join(' ')
    const row = this.domains.get(key) ?? { ...of, changes: {} }
    row.changes[column] = (row.changes[column] ?? 0) + change
    this.domains.set(key, row)
  }

  addToLink(of: LinkKey, change: number): void {
    const key = [of.automationId, of.stepId, of.url].join(' ')
    const row = this.links.get(key)
    if (row) row.change += change
    else this.links.set(key, { ...of, change })
  }

  /** The changes that are not 0. */
  list(): { counters: CounterRow[]; domains: DomainRow[]; links: LinkRow[] } {
    const isChange = ({ change }: { change: number }) => change !== 0
    return {
      counters: [...this.counters.values()].filter(isChange),
      domains: [...this.domains.values()].filter(({ changes }) =>
        Object.values(changes).some((change) => change !== 0),
      ),
      links: [...this.links.values()].filter(isChange),
    }
  }
}
