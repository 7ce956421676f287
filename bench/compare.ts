/** A round's figure, such as calls a second or a 95th percentile in milliseconds. */
export type Measure = () => Promise<number>

export interface Benchmark {
  name: string
  /** What is divided by what, and which ratio is the goal. */
  title: string
  goal: { atLeast: number } | { atMost: number }
  unit: string
  /** Builds the two sides in one process, on the same servers. */
  prepare: () => Promise<{ ours: Measure; bare: Measure; close: () => Promise<void> }>
}

export interface Result {
  name: string
  ratio: number
  ours: number
  bare: number
  rounds: { ours: number; bare: number }[]
}

const ROUNDS = 7

/**
 * Measures both sides by turns, so that what else the machine does meets both alike. One round is thrown away before: it
 * warms up.
 */
export async function compare({ name, prepare, unit }: Benchmark, say: (line: string) => void): Promise<Result> {
  const { ours, bare, close } = await prepare()
  try {
    await ours()
    await bare()
    const rounds: Result['rounds'] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      // Neither side always has the machine as the other one left it.
      const first = round % 2 === 0 ? await ours() : await bare()
      const second = round % 2 === 0 ? await bare() : await ours()
      const figures = round % 2 === 0 ? { ours: first, bare: second } : { ours: second, bare: first }
      rounds.push(figures)
      say(`  round ${round + 1}: ours ${format(figures.ours)}, bare ${format(figures.bare)} ${unit}`)
    }
    const side = (of: 'ours' | 'bare') => median(rounds.map((round) => round[of]))
    const ratio = median(rounds.map((round) => round.ours / round.bare))
    return { name, ratio: precise(ratio), ours: precise(side('ours')), bare: precise(side('bare')), rounds }
  } finally {
    await close()
  }
}

export const median = (figures: readonly number[]): number => percentile(figures, 0.5)

/** The figure below which such a part of all lies: the nearest one there is. */
export function percentile(figures: readonly number[], part: number): number {
  const sorted = figures.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN
}

/** How long something takes, in milliseconds. */
export async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const precise = (figure: number): number => Number(figure.toPrecision(4))
export const format = (figure: number): string => precise(figure).toLocaleString('en-US')
