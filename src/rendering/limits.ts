/**
 * What one template may cost, in units that are the same on every machine, so that a template that was rendered once is
 * rendered always. Time and memory of the process are limited as well: see `renderer.ts`.
 */
export const LIMITS = {
  /** Outputs and tags. Parsing takes a time that is quadratic in them. */
  tokens: 5_000,
  /** Nodes that are rendered: a node in a loop counts as often as it is rendered. */
  nodes: 100_000,
  /** Characters and items that are made or gone through, all in all. */
  work: 10_000_000,
  /** Characters or items of any one value. */
  value: 1_000_000,
  /** Characters that are compared, at worst, by searches, for each unit of work: each search is one call, which nothing counts. */
  comparisons: 64,
  /** Characters of what comes out; a subject is a header, and of a line RFC 5322 takes 998 (section 2.1.1). */
  output: { subject: 998, html: 1_000_000, text: 1_000_000 },
} as const

/** A template wants more than it may have. */
export class LimitExceeded extends Error {
  override readonly name = 'LimitExceeded'
}

const inWords = (count: number): string => count.toLocaleString('en-US')

/** Takes the place of LiquidJS's limiters, which count time where this one counts nodes. */
export class Meter {
  private nodes = 0
  private worked = 0

  /** LiquidJS calls it before each node, with the time. */
  check(): void {
    this.nodes += 1
    if (this.nodes > LIMITS.nodes) throw new LimitExceeded(`renders more than ${inWords(LIMITS.nodes)} parts`)
  }

  use(units: number): void {
    if (!(units > 0)) return
    if (units > LIMITS.value) {
      throw new LimitExceeded(`makes a value of more than ${inWords(LIMITS.value)} characters or items`)
    }
    this.work(units)
  }

  /** Counts what is gone through, and is no value. */
  work(units: number): void {
    this.worked += units
    if (this.worked > LIMITS.work) {
      throw new LimitExceeded(`goes through more than ${inWords(LIMITS.work)} characters and items`)
    }
  }
}

/** What it costs to look for a text in another one, at worst: each place in it is compared with all that is looked for. */
export const costOfSearch = (within: unknown, sought: unknown): number =>
  (lengthAtMost(within) * lengthAtMost(sought)) / LIMITS.comparisons

/** How long the text is at most that a value is made of: a number has up to so many characters. */
const lengthAtMost = (value: unknown): number => (typeof value === 'string' ? value.length : weigh(value) * 24)

/** Counts what a template writes while it writes: into the email, or into a variable of `capture`. */
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
      throw new LimitExceeded(`becomes longer than ${inWords(this.max)} characters`)
    }
    this.buffer += text
  }
}

const weights = new WeakMap<object, number>()

/**
 * How much there is of a value: the characters of a text, and of an array or object all that is in it, as often as it is
 * in it. What was weighed once is remembered, or an array that holds another one twice, and so on, would take for ever.
 */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 1
  const known = weights.get(value)
  if (known !== undefined) return known
  let weight = 1
  if (Array.isArray(value)) {
    for (const item of value) weight += weigh(item)
  } else if (isPlain(value)) {
    for (const key of Object.keys(value)) weight += key.length + weigh((value as Record<string, unknown>)[key])
  }
  weights.set(value, weight)
  return weight
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
