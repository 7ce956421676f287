/**
 * `npm run bench -- NAME …`: each measures us and the bare alternative by turns, in one run; without a name, all. The results
 * are written to bench/results.md, with those of earlier runs of what was not measured this time. With `--cluster`, some are
 * measured on Temporal's server with Postgres: the development server has one writer, which hides what is ours.
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
import { content } from './content.ts'
import { duplicate } from './duplicate.ts'
import { enroll } from './enroll.ts'
import { bytesCost, eventsCost } from './events-cost.ts'
import { events } from './events.ts'
import { importing } from './import.ts'
import { homeFigures, numbersFigures } from './figures.ts'
import { enrollmentsList, messagesList } from './ledger-lists.ts'
import { limiter } from './limiter.ts'
import { listeners } from './listeners.ts'
import { lists } from './lists.ts'
import { neighbours, neighboursMail } from './neighbours.ts'
import { reconciling } from './reconcile.ts'
import { holds, type Measured, wanted, writeResults } from './results.ts'
import { rendering } from './render.ts'
import { send } from './send.ts'
import { stopSleepers } from './sleepers.ts'
import { sleeping, sleepingMemory } from './sleeping.ts'
import { teardown } from './teardown.ts'
import { wake } from './wake.ts'

/** Those with twenty thousand sleepers come last, and the one that ends them at the very end. */
const BENCHMARKS: readonly Benchmark[] = [
  ...[
    enroll,
    duplicate,
    events,
    limiter,
    send,
    wake,
    eventsCost,
    bytesCost,
    content,
    bulk,
    importing,
    rendering,
    campaigning,
    claiming,
    lists,
    messagesList,
    enrollmentsList,
    homeFigures,
    numbersFigures,
    byEmail,
    cliHelp,
  ],
  ...[neighbours, neighboursMail],
  ...[reconciling, listeners, sleeping, sleepingMemory, teardown],
]

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Those that differ on Temporal's server as in a cluster. */
const ON_CLUSTER = [enroll, send, wake].map((benchmark): Benchmark => ({
  ...benchmark,
  name: `${benchmark.name}/cluster`,
  title: `${benchmark.title}; Temporal’s server on Postgres`,
}))

const { values, words: names } = readOptions({
  call: 'npm run bench -- [NAME …]',
  what: `measures, side by side with the bare alternative. Names are:\n${BENCHMARKS.map(({ name }) => `  ${name}`).join('\n')}`,
  options: {
    cluster: { what: `on Temporal's server with Postgres: ${ON_CLUSTER.map(({ name }) => name).join(', ')}` },
  },
  words: true,
})
const offered = values.cluster ? ON_CLUSTER : BENCHMARKS
/** `sleeping` names `sleeping/memory`, too. */
const isNamed = (benchmark: Benchmark, name: string) => benchmark.name === name || benchmark.name.startsWith(`${name}/`)
const unknown = names.filter((name) => !offered.some((benchmark) => isNamed(benchmark, name)))
if (unknown.length > 0) {
  refuse(`There is no benchmark ${unknown.join(', ')}. There are: ${offered.map(({ name }) => name).join(', ')}`)
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
        `the goal is ${wanted(benchmark)}: ${holds(benchmark, result) ? 'held' : 'MISSED'}`,
    )
    say(JSON.stringify(result))
  }
  await writeResults([...BENCHMARKS, ...ON_CLUSTER], measured)
} finally {
  await stopSleepers()
  await stopServices()
}
process.exit(failed ? 1 : 0)
