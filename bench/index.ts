/** `npm run bench -- NAME …`: each measures us and the bare alternative by turns, in one run. Without a name, all. */
import { installTemporalRuntime } from '../src/bin/compose.ts'
import { openLog } from '../src/log.ts'
import { stopServices } from '../test/support/services.ts'
import { bulk } from './bulk.ts'
import { compare, format, type Benchmark, type Result } from './compare.ts'
import { duplicate } from './duplicate.ts'
import { enroll } from './enroll.ts'
import { events } from './events.ts'
import { limiter } from './limiter.ts'
import { lists } from './lists.ts'

const BENCHMARKS: readonly Benchmark[] = [lists, bulk, enroll, duplicate, events, limiter]

const say = (line: string) => process.stdout.write(`${line}\n`)
const holds = ({ goal }: Benchmark, { ratio }: Result) =>
  'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost

const names = process.argv.slice(2)
const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
if (unknown.length > 0) {
  say(`There is no benchmark ${unknown.join(', ')}. There are: ${BENCHMARKS.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}

installTemporalRuntime(openLog('silent'))
try {
  for (const benchmark of BENCHMARKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const { goal, title, unit } = benchmark
    say(`${benchmark.name}: ${title}`)
    const result = await compare(benchmark, say)
    const wanted = 'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`
    say(
      `  ours ${format(result.ours)}, bare ${format(result.bare)} ${unit}; ratio ${result.ratio}, ` +
        `the goal is ${wanted}: ${holds(benchmark, result) ? 'held' : 'MISSED'}`,
    )
    say(JSON.stringify(result))
  }
} finally {
  await stopServices()
}
process.exit(0)
