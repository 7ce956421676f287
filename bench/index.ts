/**
 * `npm run bench -- NAME …`: measures the product and a bare alternative alternately, in one run; without a name, all benchmarks.
 * The results are written to bench/results.md, which keeps earlier results of other benchmarks. `--cluster` measures some of them
 * on Temporal's server with Postgres: the development server has one writer, which hides differences.
 */
import { readOptions, refuse } from '../scripts/options.ts'
import { installTemporalRuntime } from '../src/runtime/temporal-runtime.ts'
import { openLog } from '../src/platform/log.ts'
import { startCluster, stopServices } from '../test/support/servers.ts'
import { bulk } from './bulk.ts'
import { byEmail } from './by-email.ts'
import { campaigning } from './campaign.ts'
import { claiming } from './claim.ts'
import { cliHelp } from './cli-help.ts'
import { compare, format, type Benchmark } from './compare.ts'
import { condition, conditionLocal } from './condition.ts'
import { content } from './content.ts'
import { duplicate } from './duplicate.ts'
import { emailDelay, emailRequests } from './emails.ts'
import { enroll } from './enroll.ts'
import { branchesCost, bytesCost, eventsCost } from './events-cost.ts'
import { events } from './events.ts'
import { exit } from './exit.ts'
import { importing } from './import.ts'
import { homeStats, automationStats } from './stats.ts'
import { enrollmentsList, messagesList } from './list-pages.ts'
import { ingest } from './ingest.ts'
import { limiter } from './limiter.ts'
import { listeners } from './listeners.ts'
import { limitedProvider } from './limited-provider.ts'
import { lists } from './lists.ts'
import { neighbors, neighborsMail, neighborsRehearsal } from './neighbors.ts'
import { reconciling } from './reconcile.ts'
import { holds, type Measured, wanted, writeResults } from './results.ts'
import { rendering } from './render.ts'
import { requestLog } from './request-log.ts'
import { automationReport, campaignReport, domainsReport, stopReports } from './reports.ts'
import { segmentCount, segmentPage, stopSegments } from './segment.ts'
import { send } from './send.ts'
import { stopSleepers } from './sleepers.ts'
import { sleeping, sleepingMemory } from './sleeping.ts'
import { teardown } from './teardown.ts'
import { wake } from './wake.ts'
import { webhooks, webhooksHanging } from './webhooks.ts'

/** Benchmarks with 20,000 waiting enrollments come last, and the one that ends them comes at the very end. */
const BENCHMARKS: readonly Benchmark[] = [
  ...[
    enroll,
    duplicate,
    events,
    ingest,
    emailRequests,
    emailDelay,
    limiter,
    requestLog,
    send,
    wake,
    webhooks,
    webhooksHanging,
    eventsCost,
    bytesCost,
    branchesCost,
    condition,
    conditionLocal,
    exit,
    content,
    bulk,
    importing,
    rendering,
    campaigning,
    limitedProvider,
    claiming,
    lists,
    messagesList,
    enrollmentsList,
    homeStats,
    automationStats,
    campaignReport,
    automationReport,
    domainsReport,
    segmentCount,
    segmentPage,
    byEmail,
    cliHelp,
  ],
  ...[neighbors, neighborsMail, neighborsRehearsal],
  ...[reconciling, listeners, sleeping, sleepingMemory, teardown],
]

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Benchmarks with different results on Temporal's server in a cluster. */
const ON_CLUSTER = [enroll, send, wake].map((benchmark): Benchmark => ({
  ...benchmark,
  name: `${benchmark.name}/cluster`,
  title: `${benchmark.title}; Temporal’s server on Postgres`,
}))

const { values, words: names } = readOptions({
  call: 'npm run bench -- [NAME …]',
  what: `measures the product and a bare alternative. The names are:\n${BENCHMARKS.map(({ name }) => `  ${name}`).join('\n')}`,
  options: {
    cluster: { what: `use Temporal's server on Postgres: ${ON_CLUSTER.map(({ name }) => name).join(', ')}` },
  },
  words: true,
})
const offered = values.cluster ? ON_CLUSTER : BENCHMARKS
/** Returns whether a name selects a benchmark. `sleeping` also selects `sleeping/memory`. */
const isNamed = (benchmark: Benchmark, name: string) => benchmark.name === name || benchmark.name.startsWith(`${name}/`)
const unknown = names.filter((name) => !offered.some((benchmark) => isNamed(benchmark, name)))
if (unknown.length > 0) {
  refuse(`Unknown benchmark: ${unknown.join(', ')}. The names are: ${offered.map(({ name }) => name).join(', ')}`)
}

installTemporalRuntime(openLog('silent'))
let failed = false
const measured: Measured[] = []
try {
  if (values.cluster) await startCluster()
  for (const benchmark of offered) {
    if (names.length > 0 && !names.some((name) => isNamed(benchmark, name))) continue
    const { title, unit } = benchmark
    const notes: string[] = []
    say(`${benchmark.name}: ${title}`)
    const result = await compare(benchmark, say, (note) => {
      notes.push(note)
      say(`  ${note}`)
    }).catch((error: unknown) => void say(`  FAILED: ${String(error)}`))
    if (!result) {
      failed = true
      continue
    }
    measured.push({ benchmark, result, notes })
    say(
      `  ours ${format(result.ours)}, bare ${format(result.bare)} ${unit}; ratio ${result.ratio}, ` +
        `goal ${wanted(benchmark)}: ${holds(benchmark, result) ? 'met' : 'MISSED'}`,
    )
    say(JSON.stringify(result))
  }
  await writeResults([...BENCHMARKS, ...ON_CLUSTER], measured)
} finally {
  await stopSleepers()
  await stopSegments()
  await stopReports()
  await stopServices()
}
process.exit(failed ? 1 : 0)
