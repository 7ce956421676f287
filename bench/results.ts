import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { format as prettify, resolveConfig } from 'prettier'
import { format, type Benchmark, type Result } from './compare.ts'

export const holds = ({ goal }: Benchmark, { ratio, ours }: Result): boolean => {
  if ('atLeast' in goal) return ratio >= goal.atLeast
  return 'atMost' in goal ? ratio <= goal.atMost : ours <= goal.oursAtMost
}

export const wanted = ({ goal, unit }: Benchmark): string => {
  if ('atLeast' in goal) return `at least ${goal.atLeast}`
  return 'atMost' in goal ? `at most ${goal.atMost}` : `ours at most ${format(goal.oursAtMost)} ${unit}`
}

/** Reasons for missed goals, printed with the results. */
const REASONS: Record<string, string> = {
  enroll:
    'Both sides share two cores. The bare side leaves them idle a quarter of the time, because the development server has ' +
    'one writer. The product fills them, with about 4 ms of the API and 2 ms of Postgres in addition to the 8 ms of Temporal that both need. ' +
    'In addition to the start, an enroll request has four prepared statements: authenticate, write the audit log, look up, record.',
  'enroll/cluster':
    'Temporal writes to Postgres, on the same two cores, and nothing waits for a single writer: both sides are bound by the ' +
    'processor, and the product has the API and three more statements.',
  events:
    'The product starts workflows with search attributes, a summary and a memo, by which operators find them; the bare side does not.',
  ingest:
    'The product checks the key, counts the request, locks the contact, looks for listeners, stores the event and writes the audit ' +
    'log. Concurrent requests share these statements, except the audit entry. The bare side has one insert.',
  emails:
    'A request authenticates and counts, and stores the email and its message with those of concurrent requests. The bare side inserts the ' +
    'same two rows, and does nothing else.',
  'emails/delay':
    'Both sides have the same path. Beside a campaign, the API, the worker, Postgres and Temporal share two cores with it.',
  'condition/local':
    'The product reads the enrollment, its version and its data in one statement, evaluates the condition in a second, and records the ' +
    'decision in a third. The bare side has one statement and stores nothing.',
  'segment/page': 'The response has the total of the segment, so a page costs at least as much as counting it.',
  'by-email':
    'One more statement, prepared, with an index of its own: about 0.1 ms of the millisecond that the request takes.',
  send:
    'The product writes four statements for each mail (record, claim, outcome, end), durably, on the same two cores; the bare side ' +
    'stores nothing, and sends duplicates after a crash. On an idle processor, saving Temporal two thirds of its writes ' +
    'matters more; on a busy one, the additional work does.',
  'send/cluster': 'As send.',
  wake:
    'The same server wakes both sides, at its own pace. The product is replayed if it is not cached, and records ' +
    'its end in a larger statement.',
  'events-cost/bytes':
    'A marker of the SDK for each email (340 bytes, as much as the three events of an activity), the IDs of ten steps (800), ' +
    'five updates of search attributes (920), four attributes and a memo at the start (400), and the summary for operators at ' +
    'each timer (270). The bare side has none of the last four.',
  render:
    'Each email is rendered in a process that can be killed and that counts the work of filters and the output, and returned through a pipe: ' +
    '190 KB of HTML and text each. The bare side renders in place, and an endless template would stop it for good.',
  claim:
    'Two lookups by an index, of suppressions and opt-outs: about 0.15 ms. The claim itself costs nothing more: it compares a number.',
  campaign:
    'Bound by the processor: with four times as many connections neither side is faster by more than a fifth. Of the two cores, the bare loop uses one and ' +
    'a third. The product also has Postgres, with a claim and an outcome for each email (0.35 ms each, and two writes to the disk for about two ' +
    'emails), renders in a process that can be killed, and signs two links. The claim is made when the mail server waits for the content, so ' +
    'that a crash makes only the emails in flight uncertain, and not a page of recipients.',
  neighbors:
    'This machine was so busy that the idle case was slow, too; in quieter moments it was 18 ms against 480. The load that ' +
    'delays others is not templates or bodies (1.3 with them alone), but a thousand contacts per request who sign up: a key may send 120 ' +
    'such requests at once, and these keep the API, Postgres and Temporal busy for minutes.',
  'neighbors/mail':
    'As neighbors. Temporal’s queues serve workspaces in turn, but each turn of a busy worker takes seconds.',
}

/** A benchmark and its result. */
export interface Measured {
  benchmark: Benchmark
  result: Result
  notes: readonly string[]
}

const TARGET = fileURLToPath(new URL('results.md', import.meta.url))

/** Writes results to bench/results.md, and keeps the latest results of other benchmarks. */
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
    `| **${result.ratio}** | ${spread} | ${wanted(benchmark)} | ${holds(benchmark, result) ? 'met' : 'missed'} |`
  )
}

function remarkOf({ benchmark, result, notes }: Measured): string | undefined {
  const missed = holds(benchmark, result) ? [] : [howFar(benchmark, result), REASONS[benchmark.name] ?? '']
  const text = [...missed, ...notes].filter((line) => line !== '').join(' ')
  return text === '' ? undefined : `- **${benchmark.name}**: ${text}`
}

/** Formats the results as Markdown. */
function describeResults(rows: readonly string[], remarks: readonly string[]): string {
  return [
    '# Benchmarks',
    '',
    'Generated by `npm run bench`. Each row is the latest result of its benchmark, measured on one machine such as this: ' +
      `${availableParallelism()} cores, ` +
      `${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}. Client, API, worker, Postgres and Temporal's`,
    'development server share it. Each row measures the product and the bare alternative alternately. The values are medians, the',
    'ratio is the median of the rounds’ ratios, and the spread is their range. Compare the ratios.',
    '',
    '| name | ours ÷ bare | ours | bare | unit | ratio | spread | goal | |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    ...remarks,
    '',
  ].join('\n')
}

function howFar({ goal }: Benchmark, { ratio, ours }: Result): string {
  const [limit] = Object.values(goal) as [number]
  return `Missed by ${Math.abs((('oursAtMost' in goal ? ours : ratio) / limit - 1) * 100).toFixed(0)} %.`
}
