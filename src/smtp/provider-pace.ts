import { receivingProvider } from './receiving-provider.ts'

/** The rate after the first "too fast", as a share of what the provider accepted in the second before. */
const FIRST_SHARE = 0.9
/** The factor by which another one lowers the rate; if the provider accepted nothing since the last one. */
const CUT = 0.95
const CUT_AFTER_NOTHING = 0.5
/** Emails per second: the rate if the provider accepted nothing before, and the lowest one. */
const UNKNOWN_RATE = 1
const MIN_RATE = 1 / 60
/** The growth of the rate per second, for each second since the last "too fast": slow near the limit, fast if it was lifted. */
const GROWTH = 0.001
/** The growth of the first rate per second, which may be far too low: the provider may have limited the connections. */
const SEARCH_GROWTH = 0.3
/** Milliseconds within which several "too fast" count once: they answer emails of the same rate. */
const SAME_CUT_MS = 1_000
/** Milliseconds without "too fast" after which a provider has no limit any more. */
const FORGET_MS = 600_000
/** The factor by which more emails come back per second than may be sent, because the rate grows until then. */
const OVERBOOKING = 1.25
/** Emails come back together at multiples of this, in milliseconds. */
const TOGETHER_MS = 500
/** Milliseconds after which each of them has come back, because the rate may have grown in the meantime. */
const MAX_LATER_MS = 120_000
/** Maximum number of providers whose accepted emails are counted. */
const MAX_COUNTED = 10_000

/** The emails that a provider without a limit accepted in this second and the one before. */
interface Counted {
  second: number
  now: number
  before: number
}

interface Pace {
  /** Emails per second at `changedAt`. */
  rate: number
  changedAt: number
  cutAt: number
  /** Whether this is still the first rate. */
  isFirst: boolean
  acceptedSince: boolean
  /** When the next email may be sent, and when the next one that has to wait comes back. */
  nextAt: number
  laterAt: number
  /** A turn that is kept for a single email; it does not count as the next one. */
  reservedAt: number | undefined
}

/** Called when a provider gets a limit, with the emails per second, and when the limit ends. */
type OnPace = (provider: string, rate: number | null) => void

/**
 * The rate at which this process sends to each receiving provider that gets mail too fast. Others have no limit. The rate
 * falls with each such response and grows in between, so that it stays just below the provider's limit, whatever that is. This is
 * how TCP finds the capacity of a connection (RFC 5681). Emails are sent at even intervals, so that a provider that limits the
 * number of connections gets few at a time.
 */
export class ProviderPace {
  private readonly onPace: OnPace
  private readonly now: () => number
  private readonly paces = new Map<string, Pace>()
  private readonly counted = new Map<string, Counted>()

  /** @param now a monotonic clock, in milliseconds */
  constructor(onPace: OnPace = () => undefined, now: () => number = () => performance.now()) {
    this.onPace = onPace
    this.now = now
  }

  /** Returns the provider of a recipient if it has a limit. */
  limitedProviderOf(recipient: string): string | undefined {
    if (this.paces.size === 0) return undefined
    const provider = receivingProvider(recipient)
    const pace = this.paces.get(provider)
    if (!pace) return undefined
    if (this.now() - pace.cutAt < FORGET_MS) return provider
    this.paces.delete(provider)
    this.onPace(provider, null)
    return undefined
  }

  /**
   * Takes the next turn of a limited provider.
   * @returns the milliseconds until it; `undefined` if it is later than `maxMs`, and no turn was taken
   */
  take(provider: string, maxMs: number): number | undefined {
    const pace = this.paces.get(provider)
    if (!pace) return 0
    const now = this.now()
    const at = Math.max(now, pace.nextAt)
    if (at - now > maxMs) return undefined
    pace.nextAt = at + 1_000 / this.rateOf(pace)
    return at - now
  }

  /**
   * Takes the reserved or the next turn for a single email. If it is later than `maxMs`, reserves it: a campaign takes turns all the
   * time, so a single email that only asked again now and then would not get one before the campaign ends. One turn is reserved at a
   * time.
   *
   * @returns the milliseconds until the turn, or those after which to ask again
   */
  takeOrReserve(provider: string, maxMs: number): { waitMs: number } | { laterMs: number } {
    const pace = this.paces.get(provider)
    if (!pace) return { waitMs: 0 }
    const now = this.now()
    if (pace.reservedAt !== undefined && pace.reservedAt - now <= maxMs) {
      const waitMs = Math.max(0, pace.reservedAt - now)
      pace.reservedAt = undefined
      return { waitMs }
    }
    const waitMs = this.take(provider, maxMs)
    if (waitMs !== undefined) return { waitMs }
    if (pace.reservedAt !== undefined) return { laterMs: this.later(provider) }
    pace.reservedAt = pace.nextAt
    pace.nextAt += 1_000 / this.rateOf(pace)
    return { laterMs: Math.ceil(pace.reservedAt - now) }
  }

  /** Returns the milliseconds after which an email that got no turn should ask again. */
  later(provider: string): number {
    const pace = this.paces.get(provider)
    if (!pace) return 0
    const now = this.now()
    const intervalMs = 1_000 / (this.rateOf(pace) * OVERBOOKING)
    pace.laterAt = Math.max(pace.laterAt, now) + intervalMs
    // More than fit: they come back together with the earlier ones.
    if (pace.laterAt > now + MAX_LATER_MS) pace.laterAt = now + Math.min(intervalMs, MAX_LATER_MS)
    return Math.ceil(pace.laterAt / TOGETHER_MS) * TOGETHER_MS - now
  }

  /** Records that a recipient's provider accepted an email. */
  accepted(recipient: string): void {
    const provider = receivingProvider(recipient)
    const pace = this.paces.get(provider)
    if (pace) pace.acceptedSince = true
    else this.countUp(provider)
  }

  /** Records that a recipient's provider deferred an email because mail comes too fast. */
  tooFast(recipient: string): void {
    const provider = receivingProvider(recipient)
    const now = this.now()
    const pace = this.paces.get(provider)
    if (pace && now - pace.cutAt < SAME_CUT_MS) return
    const known = this.acceptedLately(provider) * FIRST_SHARE
    const current = pace ? this.rateOf(pace) * (pace.acceptedSince ? CUT : CUT_AFTER_NOTHING) : known || UNKNOWN_RATE
    const rate = Math.max(MIN_RATE, current)
    const nextAt = Math.max(pace?.nextAt ?? 0, now + 1_000 / rate)
    const { laterAt = 0, reservedAt } = pace ?? {}
    this.paces.set(provider, {
      rate,
      changedAt: now,
      cutAt: now,
      isFirst: !pace,
      acceptedSince: false,
      nextAt,
      laterAt,
      reservedAt,
    })
    this.counted.delete(provider)
    if (!pace) this.onPace(provider, rate)
  }

  private rateOf(pace: Pace): number {
    const now = this.now()
    const growth = pace.isFirst ? SEARCH_GROWTH : (GROWTH * (now - pace.cutAt)) / 1_000
    pace.rate *= 1 + growth * ((now - pace.changedAt) / 1_000)
    pace.changedAt = now
    return pace.rate
  }

  private countUp(provider: string): void {
    const second = Math.floor(this.now() / 1_000)
    const counted = this.counted.get(provider)
    if (counted?.second === second) {
      counted.now += 1
      return
    }
    if (!counted && this.counted.size >= MAX_COUNTED) this.counted.clear()
    this.counted.set(provider, { second, now: 1, before: counted?.second === second - 1 ? counted.now : 0 })
  }

  private acceptedLately(provider: string): number {
    const counted = this.counted.get(provider)
    const second = Math.floor(this.now() / 1_000)
    if (!counted || counted.second < second - 1) return 0
    return counted.second === second ? Math.max(counted.now, counted.before) : counted.now
  }
}
