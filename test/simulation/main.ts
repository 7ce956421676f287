/**
 * `npm run test:simulation`: runs the product's services, activities, workflows and statements on a real Postgres. Temporal and
 * the mail server are models. It tries one order of events after the other, with crashes, stalls, cut connections and lost
 * responses. A failing seed fails again, and prints the steps that broke it.
 */
import { availableParallelism } from 'node:os'
import { assertKnown, readOptions, wholeNumber } from '../../scripts/options.ts'
import { MUTANTS } from '../faults/mutants.ts'
import { makeGround } from './ground.ts'
import { tryAll, type Found } from './shards.ts'
import { WORLDS } from './world-names.ts'

const { values } = readOptions({
  call: 'npm run test:simulation -- [OPTION …]',
  what: 'tries different orders of events in each of its worlds.',
  options: {
    seeds: { takes: 'N', what: 'seeds in each world (default: 200)' },
    seed: { takes: 'S', what: 'only this seed; with --seeds, the first one' },
    world: { takes: 'NAME', what: 'only this world' },
    mutant: { takes: 'NAME', what: 'use this deliberately broken build, which has to fail' },
    mutants: { what: 'run every mutant in its worlds until one fails' },
    exhaust: { what: 'try every single deviation from the plain run instead of seeds' },
    'list-worlds': { what: 'list the worlds' },
    'list-mutants': { what: 'list the mutants' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

if (values['list-worlds']) {
  for (const [name, what] of Object.entries(WORLDS)) say(`${name}: ${what}`)
  process.exit(0)
}
if (values['list-mutants']) {
  for (const [name, { what }] of Object.entries(MUTANTS)) say(`${name}: ${what}`)
  process.exit(0)
}

const { world, mutant } = values
assertKnown('world', world, WORLDS, '--list-worlds')
assertKnown('mutant', mutant, MUTANTS, '--list-mutants')

const from = wholeNumber('seed', values.seed, { least: 0, otherwise: 1 })
const seedCount = wholeNumber('seeds', values.seeds, { least: 1, otherwise: values.seed === undefined ? 200 : 1 })
const seeds = { from, to: from + seedCount - 1 }
const worldsOf = (mutant: string | undefined) =>
  world ? [world] : mutant ? MUTANTS[mutant]!.worlds : Object.keys(WORLDS)

const ground = await makeGround(availableParallelism())
const seconds = (since: number) => Math.round((performance.now() - since) / 1000)
let green: boolean
try {
  green = values.mutants ? await tryMutants() : await tryWorlds()
} finally {
  await ground.close()
}
process.exit(green ? 0 : 1)

/** Tries each world until the first failure. @returns whether all pass */
async function tryWorlds(): Promise<boolean> {
  const started = performance.now()
  const { schedules, found } = await tryAll(ground.urls, {
    worlds: worldsOf(mutant),
    mutant,
    seeds: values.exhaust ? undefined : seeds,
    onWorld: (name, count) => say(`✔ ${name}: ${count} ${values.exhaust ? 'schedules with one deviation' : 'seeds'}`),
  })
  if (found) printFailure(found)
  say(`${schedules - (found ? 1 : 0)} passed, ${found ? 1 : 0} failed`)
  say(`${seconds(started)} s`)
  return !found
}

/** Tries each mutant in its worlds until one fails. @returns whether all mutants fail */
async function tryMutants(): Promise<boolean> {
  const survivors: string[] = []
  // Mutants of a restore have no world.
  const mutants = Object.keys(MUTANTS).filter((name) => MUTANTS[name]!.worlds.length > 0)
  for (const name of mutants) {
    const started = performance.now()
    const { schedules, found } = await tryAll(ground.urls, {
      worlds: worldsOf(name),
      mutant: name,
      seeds: values.exhaust ? undefined : seeds,
    })
    if (!found) survivors.push(name)
    const what = found
      ? `fails after ${schedules}, ${found.how}: ${found.violations[0]}`
      : `SURVIVES after ${schedules}`
    say(`${found ? '✔' : '✘'} ${name}: ${what} (${seconds(started)} s)`)
  }
  const { length } = mutants
  say(`${length - survivors.length} of ${length} mutants fail`)
  return survivors.length === 0
}

function printFailure({ world, how, trace, violations, mutant }: Found): void {
  say(`✘ ${world}`)
  for (const line of trace) say(`    ${line}`)
  for (const violation of violations) say(`  ${violation}`)
  say(`To repeat it: npm run test:simulation -- ${how}${mutant ? ` --mutant ${mutant}` : ''}`)
}
