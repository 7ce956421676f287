import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { format as prettify, resolveConfig } from 'prettier'
import { format, type Benchmark, type Result } from './compare.ts'

export const holds = ({ goal }: Benchmark, { ratio }: Result): boolean =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost

export const wanted = ({ goal }: Benchmark): string =>
  'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`

/** Why a goal is missed, where it is: told with the results, whenever they say so. */
const REASONS: Record<string, string> = {}

interface Kept {
  result: Result
  notes: readonly string[]
}

const FOLDER = new URL('../dist/bench/', import.meta.url)
const fileOf = (name: string) => new URL(`${name.replace('/', '-')}.json`, FOLDER)

/** Keeps a result until it is measured again. */
export function keepResult(kept: Kept): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(fileOf(kept.result.name), JSON.stringify(kept))
}

/** Writes what is kept to bench/results.md. */
export async function writeResults(benchmarks: readonly Benchmark[]): Promise<void> {
  const results = benchmarks.flatMap((benchmark) =>
    existsSync(fileOf(benchmark.name))
      ? [{ benchmark, ...(JSON.parse(readFileSync(fileOf(benchmark.name), 'utf8')) as Kept) }]
      : [],
  )
  const target = fileURLToPath(new URL('results.md', import.meta.url))
  writeFileSync(
    target,
    await prettify(describeResults(results), { parser: 'markdown', ...(await resolveConfig(target)) }),
  )
}

/** Results as Markdown. */
function describeResults(results: readonly ({ benchmark: Benchmark } & Kept)[]): string {
  const rows = results.map(({ benchmark, result }) => {
    const ratios = result.rounds.map(({ ours, bare }) => ours / bare)
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    return (
      `| ${benchmark.name} | ${benchmark.title} | ${format(result.ours)} | ${format(result.bare)} | ${benchmark.unit} ` +
      `| **${result.ratio}** | ${spread} | ${wanted(benchmark)} | ${holds(benchmark, result) ? 'held' : 'missed'} |`
    )
  })
  const remarks = results.flatMap(({ benchmark, result, notes }) => {
    const missed = holds(benchmark, result) ? [] : [howFar(benchmark, result), REASONS[benchmark.name] ?? '']
    const text = [...missed, ...notes].filter((line) => line !== '').join(' ')
    return text === '' ? [] : [`- **${benchmark.name}**: ${text}`]
  })
  return [
    '# Benchmarks',
    '',
    'Made by `npm run bench`, on one machine: ' +
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ` +
      `${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}. Client, API, worker, Postgres and Temporal's`,
    'development server share them. Each row measures us and the bare alternative by turns; the figures are medians, the',
    'ratio is the median of the rounds’ ratios, and the spread is theirs. The ratios are what to look at.',
    '',
    '| name | ours ÷ bare | ours | bare | unit | ratio | spread | goal | |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    ...remarks,
    '',
  ].join('\n')
}

function howFar({ goal }: Benchmark, { ratio }: Result): string {
  const limit = 'atLeast' in goal ? goal.atLeast : goal.atMost
  return `Missed by ${Math.abs((ratio / limit - 1) * 100).toFixed(0)} %.`
}
