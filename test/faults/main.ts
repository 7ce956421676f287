/**
 * `npm run test:faults`: the service's promise, tested. The parts run as they do in production, each a process of its own;
 * contacts come in by every way there is; meanwhile parts are killed, frozen and cut off at random instants. Then what the
 * SMTP server took is held against what was acknowledged.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { torment } from './chaos.ts'
import { drive } from './load.ts'
import { MUTANTS } from './mutants.ts'
import { Random } from './random.ts'
import { runMutants, runStories } from './run-stories.ts'
import { STORIES } from './stories/index.ts'
import { judge, waitForQuiet } from './verdict.ts'
import { startWorld } from './world.ts'

const { values } = parseArgs({
  options: {
    enrollments: { type: 'string', default: '300' },
    kills: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    mutant: { type: 'string' },
    cluster: { type: 'boolean', default: false },
    story: { type: 'string' },
    stories: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '1' },
    'list-mutants': { type: 'boolean', default: false },
    'list-stories': { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

if (values['list-mutants']) {
  for (const [name, { what }] of Object.entries(MUTANTS)) say(`${name}: ${what}`)
  process.exit(0)
}
if (values['list-stories']) {
  for (const [name, { what }] of Object.entries(STORIES)) say(`${name}: ${what}`)
  process.exit(0)
}
const number = (name: 'enrollments' | 'kills' | 'seed' | 'seeds'): number => {
  const value = Number(values[name])
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`)
  return value
}
const [enrollments, kills, seed] = [number('enrollments'), number('kills'), number('seed')]
const { mutant, cluster } = values
if (mutant !== undefined && !(mutant in MUTANTS))
  throw new Error(`There is no mutant ${mutant}; --list-mutants names them`)
if (values.story !== undefined && !(values.story in STORIES))
  throw new Error(`There is no story ${values.story}; --list-stories names them`)

const seeds = Array.from({ length: number('seeds') }, (_, n) => n + 1)
if (values.mutants) {
  const mutants = mutant === undefined ? Object.keys(MUTANTS) : [mutant]
  process.exit((await runMutants(mutants, seeds, say)) ? 0 : 1)
}
if (values.stories || values.story !== undefined) {
  const stories = values.story === undefined ? Object.keys(STORIES) : [values.story]
  process.exit((await runStories(stories, seeds, { cluster }, say)) ? 0 : 1)
}

/** Long enough that a first email and the deletion of its automation both fall into it, and some starts a second. */
const windowMs = Math.max(60_000, enrollments * 60, kills * 3_000)
/** The wait, Temporal's own retries, and time to spare: what has not come by then does not come. */
const quietMs = 200_000 + enrollments * 60

say(
  `Faults: ${enrollments} enrollments, ${kills} kills, seed ${seed}` +
    `${mutant ? `, mutant ${mutant}` : ''}${cluster ? ', on a cluster' : ''}`,
)
const started = Date.now()
const world = await startWorld(new Random(seed), { mutant, cluster }, say)
let failed: boolean
try {
  say(`The parts are up; ${Math.round(windowMs / 1000)} s of load and faults`)
  const [acknowledged, faults] = await Promise.all([
    drive(world, new Random(seed + 1), { enrollments, windowMs }),
    torment(world, new Random(seed + 2), { kills, windowMs }),
  ])
  world.setCuts(0)
  say(`${acknowledged.entered.length} acknowledged, ${acknowledged.repeats} requests repeated; waiting for quiet`)
  const quiet = await waitForQuiet(world, acknowledged, quietMs)
  const verdict = await judge(world, acknowledged, faults)

  say('')
  for (const { name, examined, failures } of verdict.checks) {
    say(`${failures.length === 0 ? '✔' : '✘'} ${name} (${examined})`)
    for (const failure of failures.slice(0, 10)) say(`    ${failure}`)
    if (failures.length > 10) say(`    … and ${failures.length - 10} more`)
  }
  failed = !quiet || verdict.checks.some(({ failures }) => failures.length > 0)
  const tally = Object.fromEntries(
    Object.entries(Object.groupBy(faults, ({ what, target }) => `${what} ${target}`)).map(([name, of]) => [
      name,
      of?.length,
    ]),
  )
  const report = {
    seed,
    enrollments,
    kills,
    mutant: mutant ?? null,
    cluster,
    passed: !failed,
    quiet,
    seconds: Math.round((Date.now() - started) / 1000),
    acknowledged: acknowledged.entered.length,
    repeats: acknowledged.repeats,
    accepted: verdict.accepted,
    unconfirmed: verdict.unconfirmed,
    faults: tally,
    checks: verdict.checks.map(({ name, examined, failures }) => ({ name, examined, failed: failures.length })),
  }
  mkdirSync('dist', { recursive: true })
  writeFileSync(
    'dist/faults.json',
    `${JSON.stringify({ ...report, failures: verdict.checks, timeline: faults }, null, 2)}\n`,
  )
  say('')
  if (!quiet) say('It did not become quiet: something that was acknowledged is still owed.')
  say(
    `${failed ? 'FAILED' : 'Passed'} after ${report.seconds} s: ${verdict.accepted} messages taken, ` +
      `${verdict.unconfirmed} unconfirmed. The same again: --enrollments ${enrollments} --kills ${kills} --seed ${seed}`,
  )
  say(JSON.stringify(report))
} catch (error) {
  failed = true
  say(error instanceof Error ? (error.stack ?? error.message) : String(error))
}
const folder = await world.stop(failed)
if (failed)
  say(`What the parts said, and what the mail server wrote down, is in ${folder}. CONTRIBUTING tells how to read it.`)
process.exit(failed ? 1 : 0)
