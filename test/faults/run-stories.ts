import { MUTANTS } from './mutants.ts'
import { playAll, type Played } from './play.ts'
import { Random } from './random.ts'
import { WorkflowBundles } from './workflow-bundle.ts'
import { startWorld } from './world.ts'

type Say = (line: string) => void

/**
 * Plays stories with the correct build, each with every seed: all have to pass.
 * @returns whether they do
 */
export async function runStories(
  stories: readonly string[],
  seeds: readonly number[],
  { cluster }: { cluster: boolean },
  say: Say,
): Promise<boolean> {
  const world = await startWorld(new Random(seeds[0] ?? 1), { mutant: undefined, cluster, cuts: 0 }, say)
  let failed = 0
  for (const story of stories) {
    await playAll(world, [story], seeds, ({ seed, outcome, seconds, reason }) => {
      if (outcome !== 'right') failed += 1
      say(`${outcome === 'right' ? '✔' : '✘'} ${story}, seed ${seed}: ${seconds} s ${reason}`)
    })
  }
  const folder = await world.stop(failed > 0)
  if (failed > 0) say(`The logs of the processes and the record of the mail server are in ${folder}.`)
  say(`${stories.length * seeds.length - failed} passed, ${failed} failed`)
  return failed === 0
}

/**
 * Plays each mutant's stories with every seed until one fails, and prints the results: all mutants have to fail.
 * @returns whether they do
 */
export async function runMutants(mutants: readonly string[], seeds: readonly number[], say: Say): Promise<boolean> {
  const table: string[] = []
  let missed = 0
  const bundles = new WorkflowBundles()
  for (const mutant of mutants) {
    const world = await startWorld(new Random(1), { mutant, cluster: false, cuts: 0, bundles }, () => undefined)
    const played = await playAll(world, MUTANTS[mutant]!.stories, seeds, (each) =>
      say(`${isRed(each) ? '✔' : '✘'} ${mutant}, seed ${each.seed}: ${each.story}: ${each.seconds} s: ${each.reason}`),
    )
    const green = played.filter((each) => !isRed(each)).length
    missed += green
    const folder = await world.stop(green > 0)
    if (green > 0) say(`The logs of the processes of ${mutant} are in ${folder}.`)
    const cells = played.map((each) => `${isRed(each) ? 'red' : each.outcome} ${each.seconds} s`)
    table.push(`| ${mutant} | ${cells.join(' | ')} |`)
  }
  say('')
  say(`| mutant | ${seeds.map((seed) => `seed ${seed}`).join(' | ')} |`)
  say(`| --- |${seeds.map(() => ' --- |').join('')}`)
  for (const row of table) say(row)
  say('')
  say(`${mutants.length * seeds.length - missed} failed as expected, ${missed} survived`)
  return missed === 0
}

const isRed = ({ outcome }: Played): boolean => outcome === 'wrong'
