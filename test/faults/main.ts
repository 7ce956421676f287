/**
 * `npm run test:faults`: the service's promise, tested on the parts as they run in production, each a process of its own.
 * Under load, with faults at random and at every named point; or in stories that aim at one instant each; or with builds
 * that are broken on purpose and have to be found out.
 */
import { parseArgs } from 'node:util'
import { MUTANTS } from './mutants.ts'
import { runLoad } from './run-load.ts'
import { runMutants, runStories } from './run-stories.ts'
import { POSTGRES, SLOW_SERVER, STORIES } from './stories/index.ts'

const { values } = parseArgs({
  options: {
    enrollments: { type: 'string', default: '300' },
    kills: { type: 'string', default: '15' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    cluster: { type: 'boolean', default: false },
    mutant: { type: 'string' },
    stories: { type: 'boolean', default: false },
    story: { type: 'string' },
    'slow-server': { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '1' },
    'list-stories': { type: 'boolean', default: false },
    'list-mutants': { type: 'boolean', default: false },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const number = (name: 'enrollments' | 'kills' | 'seed' | 'seeds'): number => {
  const value = Number(values[name])
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number`)
  return value
}
const { mutant, story, cluster } = values
const ALL = { ...STORIES, ...SLOW_SERVER, ...POSTGRES }
if (mutant !== undefined && !(mutant in MUTANTS))
  throw new Error(`There is no mutant ${mutant}; --list-mutants names them`)
if (story !== undefined && !(story in ALL)) throw new Error(`There is no story ${story}; --list-stories names them`)

const list = (of: Record<string, { what: string }>): boolean => {
  for (const [name, { what }] of Object.entries(of)) say(`${name}: ${what}`)
  return true
}

function run(): boolean | Promise<boolean> {
  if (values['list-mutants']) return list(MUTANTS)
  if (values['list-stories']) return list(ALL)
  const seeds = Array.from({ length: number('seeds') }, (_, n) => n + 1)
  if (values.mutants) return runMutants(mutant === undefined ? Object.keys(MUTANTS) : [mutant], seeds, say)
  const stories = [
    ...(values.stories ? Object.keys(STORIES) : []),
    ...(values['slow-server'] ? Object.keys(SLOW_SERVER) : []),
    ...(values.postgres ? Object.keys(POSTGRES) : []),
    ...(story === undefined ? [] : [story]),
  ]
  if (stories.length > 0) return runStories(stories, seeds, { cluster }, say)
  return runLoad(
    { enrollments: number('enrollments'), kills: number('kills'), seed: number('seed'), mutant, cluster },
    say,
  )
}

process.exit((await run()) ? 0 : 1)
