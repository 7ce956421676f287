/**
 * `npm run test:simulation`: the product's services, activities, workflows and statements, on the real Postgres; Temporal
 * and the mail server are models, and one order of things is tried after the other, with crashes, stalls, cut connections
 * and lost answers. A red seed is red again, and prints the steps that broke it.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { MUTANTS } from '../faults/mutants.ts'
import { makeGround } from './ground.ts'
import { tryAll, type Found } from './shards.ts'
import { WORLDS } from './world-names.ts'

const { values } = parseArgs({
  options: {
    /** So many seeds in each world: 200 if none is named. */
    seeds: { type: 'string' },
    /** This one alone; with `--seeds`, the one to begin with. */
    seed: { type: 'string' },
    world: { type: 'string' },
    mutant: { type: 'string' },
    /** Every mutant, each in its worlds until it is red. */
    mutants: { type: 'boolean', default: false },
    exhaust: { type: 'boolean', default: false },
    'list-worlds': { type: 'boolean', default: false },
    'list-mutants': { type: 'boolean', default: false },
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
if (world !== undefined && !(world in WORLDS)) throw new Error(`There is no world ${world}; --list-worlds names them`)
if (mutant !== undefined && !(mutant in MUTANTS))
  throw new Error(`There is no mutant ${mutant}; --list-mutants names them`)

const from = Number(values.seed ?? 1)
const seeds = { from, to: from + Number(values.seeds ?? (values.seed === undefined ? 200 : 1)) - 1 }
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

/** Tries each world, up to the first that is red. @returns whether all are green. */
async function tryWorlds(): Promise<boolean> {
  const started = performance.now()
  let schedules = 0
  let found: Found | undefined
  for (const name of worldsOf(mutant)) {
    const tried = await tryAll(ground.urls, { world: name, mutant, seeds: values.exhaust ? undefined : seeds })
    schedules += tried.schedules
    found = tried.found
    if (found) break
    say(`✔ ${name}: ${tried.schedules} ${values.exhaust ? 'schedules, all there are with one deviation' : 'seeds'}`)
  }
  if (found) tell(found)
  say(`${schedules - (found ? 1 : 0)} passed, ${found ? 1 : 0} failed`)
  say(`${seconds(started)} s`)
  return !found
}

/** Tries each mutant in its worlds until it is red. @returns whether every one is. */
async function tryMutants(): Promise<boolean> {
  const survivors: string[] = []
  for (const name of Object.keys(MUTANTS)) {
    const started = performance.now()
    let schedules = 0
    let found: Found | undefined
    for (const world of worldsOf(name)) {
      const tried = await tryAll(ground.urls, { world, mutant: name, seeds: values.exhaust ? undefined : seeds })
      schedules += tried.schedules
      found = tried.found
      if (found) break
    }
    if (!found) survivors.push(name)
    const what = found ? `red after ${schedules}, ${found.how}: ${found.violations[0]}` : `GREEN after ${schedules}`
    say(`${found ? '✔' : '✘'} ${name}: ${what} (${seconds(started)} s)`)
  }
  const { length } = Object.keys(MUTANTS)
  say(`${length - survivors.length} of ${length} mutants are red`)
  return survivors.length === 0
}

function tell({ world, how, trace, violations, mutant }: Found): void {
  say(`✘ ${world}`)
  for (const line of trace) say(`    ${line}`)
  for (const violation of violations) say(`  ${violation}`)
  say(`The same again: npm run test:simulation -- ${how}${mutant ? ` --mutant ${mutant}` : ''}`)
}
