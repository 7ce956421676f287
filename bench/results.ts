import { availableParallelism, cpus, totalmem } from 'node:os'
import { format, type Benchmark, type Result } from './compare.ts'

export const holds = ({ goal }: Benchmark, { ratio }: Result): boolean =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost

export const wanted = ({ goal }: Benchmark): string =>
  'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`

/** Why a goal is missed, where it is: told with the results, whenever they say so. */
const REASONS: Record<string, string> = {}

/** All results of one run as Markdown. */
export function describeResults(
  results: readonly { benchmark: Benchmark; result: Result; notes: readonly string[] }[],
): string {
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
    'Made by `npm run bench`, in one run on one machine: ' +
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
