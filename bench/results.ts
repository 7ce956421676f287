import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
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
    'What an enroll call does besides the start is four statements, prepared: admit, tell the audit log, look up, record.',
  'enroll/cluster':
    'Temporal writes to Postgres here, on the same two cores, and no writer is waited for: both sides are bound by the ' +
    'processor, and ours has the API and three statements besides.',
  events:
    'A start by ours carries search attributes, a summary and a memo, by which operators find it; the bare one carries none.',
  'by-email':
    'One statement more, prepared, by an index of its own: some 0.1 ms of the millisecond that the call takes.',
  send:
    'Ours writes four statements for each mail (record, claim, outcome, end), durably, on the same two cores; the bare one ' +
    'keeps nothing, and mails twice after a crash. Where the processor is free, saving Temporal two thirds of its writes ' +
    'weighs more; where others use it as well, our work does.',
  'send/cluster': 'As send.',
  wake:
    'Both sides are woken by the same server, in its own time; ours is replayed, where it is not in memory, and records ' +
    'its end in a larger statement.',
  'events-cost/bytes':
    'A marker of the SDK for each email (340 bytes, as much as the three events of an activity), the ids of ten steps (800), ' +
    'five updates of search attributes (920), four attributes and a memo at the start (400), and the words for operators at ' +
    'each timer (270). The one written by hand has none of the last four.',
  render:
    'Each email is rendered in a process that can be killed, counts what its filters and its output take, and comes back through a pipe: ' +
    '190 KB of HTML and text each. The bare side does it in place, and a template that loops would stop it for good.',
  claim:
    'Two lookups by an index, of addresses and of lists that were left: some 0.15 ms. The claim itself costs nothing more: it compares a number.',
  campaign:
    'Bound by the processor: with four times as many connections neither side is faster by more than a fifth. Of the two cores, the bare loop keeps one and ' +
    'a third busy; ours has Postgres besides, with a claim and an outcome for each email (0.35 ms each, and two writes to the disk for some two ' +
    'emails), renders in a process that can be killed, and signs two links. The claim is made when the mail server waits for the message, so ' +
    'that a crash leaves in doubt what was on the way, and not a page of recipients.',
  neighbours:
    'This machine was so busy that the quiet side was slow, too; in quieter moments it was 18 ms against 480. What makes ' +
    'others wait is not templates or bodies (with them alone: 1.3), but a thousand contacts a call who sign up: a key lets 120 ' +
    'such calls in at once, and these keep the API, Postgres and Temporal busy for minutes.',
  'neighbours/mail':
    'As neighbours. Workspaces take turns in Temporal’s queues, but each turn of a busy worker takes seconds.',
}

/** What was measured. */
export interface Measured {
  benchmark: Benchmark
  result: Result
  notes: readonly string[]
}

const TARGET = fileURLToPath(new URL('results.md', import.meta.url))

/** Writes what was measured into bench/results.md, in which the rest stays as it was measured last. */
export async function writeResults(benchmarks: readonly Benchmark[], measured: readonly Measured[]): Promise<void> {
  const before = existsSync(TARGET) ? readFileSync(TARGET, 'utf8').split('\n') : []
  const described = benchmarks.map((benchmark) => {
    const now = measured.find((each) => each.benchmark.name === benchmark.name)
    return now
      ? { row: rowOf(now), remark: remarkOf(now) }
      : {
          row: before.find((line) => line.split('|')[1]?.trim() === benchmark.name),
          remark: before.find((line) => line.startsWith(`- **${benchmark.name}**: `)),
        }
  })
  const lines = (of: (string | undefined)[]) => of.filter((line) => line !== undefined)
  const text = describeResults(lines(described.map(({ row }) => row)), lines(described.map(({ remark }) => remark)))
  writeFileSync(TARGET, await prettify(text, { parser: 'markdown', ...(await resolveConfig(TARGET)) }))
}

function rowOf({ benchmark, result }: Measured): string {
  const ratios = result.rounds.map(({ ours, bare }) => ours / bare)
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  return (
    `| ${benchmark.name} | ${benchmark.title} | ${format(result.ours)} | ${format(result.bare)} | ${benchmark.unit} ` +
    `| **${result.ratio}** | ${spread} | ${wanted(benchmark)} | ${holds(benchmark, result) ? 'held' : 'missed'} |`
  )
}

function remarkOf({ benchmark, result, notes }: Measured): string | undefined {
  const missed = holds(benchmark, result) ? [] : [howFar(benchmark, result), REASONS[benchmark.name] ?? '']
  const text = [...missed, ...notes].filter((line) => line !== '').join(' ')
  return text === '' ? undefined : `- **${benchmark.name}**: ${text}`
}

/** Results as Markdown. */
function describeResults(rows: readonly string[], remarks: readonly string[]): string {
  return [
    '# Benchmarks',
    '',
    'Made by `npm run bench`, each row on one machine, and each as it was measured last, on such as this: ' +
      `${availableParallelism()} cores, ` +
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
