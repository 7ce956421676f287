/**
 * `npm run test:simulation`: the product's services, activities, workflows and statements, on the real Postgres, in one
 * process; Temporal and the mail server are models, and one order of things is tried after the other, with crashes, stalls,
 * cut connections and lost answers. A red seed is red again, and prints the steps that broke it.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbedded } from '../../scripts/embedded/client.ts'
import { migrate, openOrm } from '../../src/db/orm.ts'
import { MUTANTS } from '../faults/mutants.ts'
import { freePorts } from '../support/ports.ts'
import { planned, seeded, type Deviation } from './scheduler.ts'
import { closeControl } from './simulated-session.ts'
import { Ground } from './world.ts'
import { runWorld, WORLDS, type Outcome } from './worlds.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    seed: { type: 'string' },
    world: { type: 'string' },
    mutant: { type: 'string' },
    exhaust: { type: 'boolean', default: false },
    'list-worlds': { type: 'boolean', default: false },
    'list-mutants': { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)

if (values['list-worlds']) {
  for (const [name, { what }] of Object.entries(WORLDS)) say(`${name}: ${what}`)
  process.exit(0)
}
if (values['list-mutants']) {
  for (const [name, { what }] of Object.entries(MUTANTS)) say(`${name}: ${what}`)
  process.exit(0)
}

const names = values.world ? [values.world] : Object.keys(WORLDS)
for (const name of names) if (!(name in WORLDS)) throw new Error(`There is no world ${name}; --list-worlds names them`)

const [port] = (await freePorts(1)) as [number]
const dataDir = mkdtempSync(join(tmpdir(), 'dripline-simulation-'))
const embedded = await startEmbedded({ dataDir, postgres: { port } }, () => undefined)
const url = embedded.databaseUrl!
const setUp = openOrm({ url, timeoutMs: 60_000 })
await migrate(setUp)
await setUp.close(true)
const ground = new Ground(url)
await ground.prepare()

let runs = 0
let red: { name: string; how: string; outcome: Outcome } | undefined
const started = Date.now()
try {
  for (const name of names) {
    if (red) break
    if (values.exhaust) red = await exhaust(name)
    else red = await seeds(name)
  }
} finally {
  await ground.orm.close(true)
  await closeControl()
  await embedded.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** By seeds: each is an order of things, with up to four faults. */
async function seeds(name: string): Promise<typeof red> {
  const all =
    values.seed === undefined ? Array.from({ length: Number(values.seeds) }, (_, n) => n + 1) : [Number(values.seed)]
  for (const seed of all) {
    runs += 1
    if (process.env['SIMULATION_LOG']) say(`  seed ${seed}`)
    const outcome = await runWorld(ground, name, seeded(seed, { faults: 1 + (seed % 4), chance: 0.06 }))
    if (outcome.violations.length > 0) return { name, how: `--world ${name} --seed ${seed}`, outcome }
    if (values.seed !== undefined) for (const line of outcome.trace) say(`  ${line}`)
  }
  say(`✔ ${name}: ${all.length} seeds`)
  return undefined
}

/** All schedules with one deviation from the plain run: every other order at every point, and every fault at every point. */
async function exhaust(name: string): Promise<typeof red> {
  const plain = planned([])
  const first = await runWorld(ground, name, plain.decisions)
  let schedules = 1
  if (first.violations.length > 0) return { name, how: `--world ${name} --exhaust (plain)`, outcome: first }
  const deviations: Deviation[] = plain.met.flatMap(({ at, count, faults }) => [
    ...Array.from({ length: count - 1 }, (_, n) => ({ at, next: n + 1 })),
    ...faults.map((fault) => ({ at, fault })),
  ])
  for (const deviation of deviations) {
    schedules += 1
    const outcome = await runWorld(ground, name, planned([deviation]).decisions)
    if (outcome.violations.length > 0)
      return { name, how: `--world ${name} --exhaust ${JSON.stringify(deviation)}`, outcome }
  }
  runs += schedules
  say(`✔ ${name}: ${schedules} schedules, all there are with one deviation`)
  return undefined
}

const seconds = Math.round((Date.now() - started) / 1000)
if (red) {
  say(`✘ ${red.name}`)
  for (const line of red.outcome.trace) say(`    ${line}`)
  for (const violation of red.outcome.violations) say(`  ${violation}`)
  say(`The same again: npm run test:simulation -- ${red.how}${values.mutant ? ` --mutant ${values.mutant}` : ''}`)
}
say(`${red ? runs - 1 : runs} passed, ${red ? 1 : 0} failed`)
say(`${seconds} s`)
process.exit(red ? 1 : 0)
