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
const REASONS: Record<string, string> = {
  enroll:
    'Two cores serve both sides. The bare one leaves them idle a quarter of the time, because the development server has ' +
    'one writer; ours fills them, with some 4 ms of the API and 2 ms of Postgres beside the 8 ms of Temporal that both need. ' +
    'What an enroll call does besides the start is three statements, prepared: admit, look up, record.',
  duplicate:
    'Both calls are one HTTP request with an admission and a look-up; a first one has the start and the record besides, a ' +
    'duplicate one question to Temporal. It could be less only if the ledger decided alone, and the ledger does not know.',
  events:
    'A start by ours carries search attributes, a summary and a memo, by which operators find it; the bare one carries none.',
  send:
    'Ours writes four statements for each mail (record, claim, outcome, end), durably, on the same two cores; the bare one ' +
    'keeps nothing, and mails twice after a crash.',
  'events-cost':
    'Two markers (the record, the end) and five updates of search attributes, so that every wait of up to five can be found ' +
    'by its end. With four it would be 1.1; operators would lose the end of one wait.',
  'events-cost/bytes':
    'Search attributes, summaries, the memo and the list of steps, which is in the history once: what operators see and ' +
    'search by. The one written by hand has none of them.',
}

interface Kept {
  result: Result
  /** What was measured, in the words of that moment. */
  title: string
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
  const rows = results.map(({ benchmark, title, result }) => {
    const ratios = result.rounds.map(({ ours, bare }) => ours / bare)
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
    return (
      `| ${benchmark.name} | ${title} | ${format(result.ours)} | ${format(result.bare)} | ${benchmark.unit} ` +
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
    'Made by `npm run bench`, on one machine, in one run or several (each row is the newest): ' +
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
