import { MUTANTS } from './mutants.ts'
import { play, type Played } from './play.ts'
import { Random } from './random.ts'
import { startWorld } from './world.ts'

type Say = (line: string) => void

/**
 * Plays stories with the sound build, each with every seed: all have to come out right.
 * @returns whether they did.
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
    for (const seed of seeds) {
      const played = await play(world, story, seed)
      if (played.outcome !== 'right') failed += 1
      say(`${played.outcome === 'right' ? '✔' : '✘'} ${story}, seed ${seed}: ${played.seconds} s ${played.reason}`)
    }
  }
  const folder = await world.stop(failed > 0)
  if (failed > 0) say(`What the parts said, and what the mail server wrote down, is in ${folder}.`)
  say(`${stories.length * seeds.length - failed} passed, ${failed} failed`)
  return failed === 0
}

/**
 * Plays each mutant's stories with every seed until one is wrong, and prints which were found out: all have to be.
 * @returns whether they were.
 */
export async function runMutants(mutants: readonly string[], seeds: readonly number[], say: Say): Promise<boolean> {
  const table: string[] = []
  let missed = 0
  for (const mutant of mutants) {
    const world = await startWorld(new Random(1), { mutant, cluster: false, cuts: 0 }, () => undefined)
    const cells: string[] = []
    for (const seed of seeds) {
      const played = await untilWrong(MUTANTS[mutant]!.stories, (story) => play(world, story, seed))
      const red = played.at(-1)?.outcome === 'wrong'
      if (!red) missed += 1
      const seconds = played.reduce((sum, each) => sum + each.seconds, 0)
      cells.push(`${red ? 'red' : (played.at(-1)?.outcome ?? '')} ${seconds} s`)
      const { story, reason } = played.at(-1)!
      say(`${red ? '✔' : '✘'} ${mutant}, seed ${seed}: ${story}: ${seconds} s: ${reason || 'nothing was seen'}`)
    }
    const folder = await world.stop(cells.some((cell) => !cell.startsWith('red')))
    if (cells.some((cell) => !cell.startsWith('red'))) say(`What the parts of ${mutant} said is in ${folder}.`)
    table.push(`| ${mutant} | ${cells.join(' | ')} |`)
  }
  say('')
  say(`| mutant | ${seeds.map((seed) => `seed ${seed}`).join(' | ')} |`)
  say(`| --- |${seeds.map(() => ' --- |').join('')}`)
  for (const row of table) say(row)
  say('')
  say(`${mutants.length * seeds.length - missed} red, ${missed} not`)
  return missed === 0
}

async function untilWrong(stories: readonly string[], run: (story: string) => Promise<Played>): Promise<Played[]> {
  const played: Played[] = []
  for (const story of stories) {
    played.push(await run(story))
    if (played.at(-1)?.outcome === 'wrong') break
  }
  return played
}
