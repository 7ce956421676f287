/** Measures one value of a round, such as requests per second or a 95th percentile in milliseconds. */
export type Measure = () => Promise<number>

export interface Benchmark {
  name: string
  /** The measured ratio. */
  title: string
  /** A limit of the ratio, or of our side's value. */
  goal: { atLeast: number } | { atMost: number } | { oursAtMost: number }
  unit: string
  /** Builds the two sides in one process, on the same servers. Its notes are printed with the result. */
  prepare: (note: (text: string) => void) => Promise<Sides>
}

/** The two sides, measured one after the other; or both at once, if they mostly wait. */
export type Sides = ({ ours: Measure; bare: Measure } | { pair: (round: number) => Promise<Values> }) & {
  close: () => Promise<void>
}

interface Values {
  ours: number
  bare: number
}

export interface Result {
  name: string
  ratio: number
  ours: number
  bare: number
  rounds: Values[]
}

const ROUNDS = 7
const PAIRED_ROUNDS = 5

/** Measures both sides alternately, so that other load on the machine affects both. A first round warms up, and is discarded. */
export async function compare(
  { name, prepare, unit }: Benchmark,
  say: (line: string) => void,
  note: (text: string) => void,
): Promise<Result> {
  const sides = await prepare(note)
  try {
    if ('ours' in sides) {
      await sides.ours()
      await sides.bare()
    }
    const rounds: Result['rounds'] = []
    for (let round = 0; round < ('ours' in sides ? ROUNDS : PAIRED_ROUNDS); round += 1) {
      const values = 'ours' in sides ? await alternate(sides, round) : await sides.pair(round)
      rounds.push(values)
      say(`  round ${round + 1}: ours ${format(values.ours)}, bare ${format(values.bare)} ${unit}`)
    }
    const side = (of: 'ours' | 'bare') => median(rounds.map((round) => round[of]))
    const ratio = median(rounds.map((round) => round.ours / round.bare))
    return { name, ratio: precise(ratio), ours: precise(side('ours')), bare: precise(side('bare')), rounds }
  } finally {
    await sides.close()
  }
}

/** Alternates which side goes first, so that neither always gets the machine as the other one left it. */
async function alternate({ ours, bare }: { ours: Measure; bare: Measure }, round: number): Promise<Values> {
  if (round % 2 === 0) return { ours: await ours(), bare: await bare() }
  const first = await bare()
  return { ours: await ours(), bare: first }
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** Returns a percentile: the nearest value. */
export function percentile(sample: readonly number[], part: number): number {
  const sorted = sample.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN
}

/** Returns the duration of an operation in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const precise = (value: number): number => Number(value.toPrecision(4))
export const format = (measured: number): string => precise(measured).toLocaleString('en-US')
