/**
 * The limits of one template, in units that are the same on every machine: a template that rendered once always renders. The
 * time and memory of the process are limited as well: see `process.ts`.
 */
export const LIMITS = {
  /** Outputs and tags. Parsing time grows with their square. */
  tokens: 5_000,
  /** Rendered nodes. A node in a loop counts each time. */
  nodes: 100_000,
  /** The total number of characters and items that are created or read. */
  work: 10_000_000,
  /** Characters or items of a single value. */
  value: 1_000_000,
  /** Characters of the output. A subject is a header line, which RFC 5322 limits to 998 (section 2.1.1). */
  output: { subject: 998, html: 1_000_000, text: 1_000_000 },
} as const

/** A template exceeds a limit. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded'
}

export const formatCount = (count: number): string => count.toLocaleString('en-US')

/** Replaces LiquidJS's limiters. The render limit counts nodes, not time. */
export class Meter {
  private nodes = 0
  private worked = 0

  /** LiquidJS calls this before each node, with the time. */
  check(): void {
    this.nodes += 1
    if (this.nodes > LIMITS.nodes) throw new LimitExceeded(`renders more than ${formatCount(LIMITS.nodes)} nodes`)
  }

  use(units: number): void {
    if (!(units > 0)) return
    if (units > LIMITS.value) {
      throw new LimitExceeded(`creates a value of more than ${formatCount(LIMITS.value)} characters or items`)
    }
    this.worked += units
    if (this.worked > LIMITS.work) {
      throw new LimitExceeded(`processes more than ${formatCount(LIMITS.work)} characters and items`)
    }
  }
}

/** Counts the output of a template as it is written, to the email or to a variable of `capture`. */
export class MeteredOutput {
  buffer = ''
  private readonly meter: Meter
  private readonly max: number

  constructor(meter: Meter, max: number = LIMITS.value) {
    this.meter = meter
    this.max = max
  }

  write(text: string): void {
    this.meter.use(text.length)
    if (this.buffer.length + text.length > this.max) {
      throw new LimitExceeded(`becomes longer than ${formatCount(this.max)} characters`)
    }
    this.buffer += text
  }
}

const weights = new WeakMap<object, number>()

/**
 * The size of a value: the characters of a text, or the sum over an array or object, with repeated items counted each
 * time. Results are cached: an array that holds another one twice, and so on, would take exponential time.
 */
export function estimateSize(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  const known = weights.get(value)
  if (known !== undefined) return known
  let weight = 1
  if (Array.isArray(value)) {
    for (const item of value) weight += estimateSize(item)
  } else if (isPlain(value)) {
    for (const key of Object.keys(value)) weight += key.length + estimateSize((value as Record<string, unknown>)[key])
  }
  weights.set(value, weight)
  return weight
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
