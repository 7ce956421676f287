/**
 * `npm run test:faults`: tests the guarantees with the processes that run in production. It runs under load, with faults at
 * random and at every named point; or plays stories that target one instant each; or runs deliberately broken builds, which have
 * to fail.
 */
import { assertKnown, readOptions, wholeNumber, refuse } from '../../scripts/options.ts'
import { MUTANTS } from './mutants.ts'
import { runCampaign } from './run-campaign.ts'
import { runLoad } from './run-load.ts'
import { runMutants, runStories } from './run-stories.ts'
import { runWebhooks } from './run-webhooks.ts'
import { POSTGRES, SLOW_SERVER, STORIES } from './stories/index.ts'

const { values } = readOptions({
  call: 'npm run test:faults -- [OPTION …]',
  what: 'tests the guarantees under load with faults, or in stories of one instant each.',
  options: {
    enrollments: { takes: 'N', what: 'enrollments under load (default: 300)' },
    campaign: { takes: 'N', what: 'send a campaign to N contacts instead, with K kills' },
    webhooks: { takes: 'N', what: 'deliver the webhook events of N facts instead, with K kills' },
    kills: { takes: 'K', what: 'number of faults (default: 15)' },
    seed: { takes: 'S', what: 'seed that decides which fault happens when' },
    cluster: { what: "Temporal's server on Postgres, and APIs behind Caddy" },
    mutant: { takes: 'NAME', what: 'use this deliberately broken build, which has to fail' },
    stories: { what: 'play the stories instead of load' },
    story: { takes: 'NAME', what: 'this story' },
    'slow-server': { what: 'play the story of a slow mail server' },
    postgres: { what: 'play the stories of a failing Postgres' },
    mutants: { what: "play each mutant's stories until one fails" },
    seeds: { takes: 'N', what: 'play each story with N seeds (default: 1)' },
    'list-stories': { what: 'list the stories' },
    'list-mutants': { what: 'list the mutants' },
  },
})
const say = (line: string) => process.stdout.write(`${line}\n`)
const { mutant, story, cluster } = values
const ALL = { ...STORIES, ...SLOW_SERVER, ...POSTGRES }
assertKnown('mutant', mutant, MUTANTS, '--list-mutants')
assertKnown('story', story, ALL, '--list-stories')
const enrollments = wholeNumber('enrollments', values.enrollments, { least: 1, otherwise: 300 })
const kills = wholeNumber('kills', values.kills, { least: 0, otherwise: 15 })
const seed = wholeNumber('seed', values.seed, { least: 0, otherwise: Math.floor(Math.random() * 1_000_000) })
const times = wholeNumber('seeds', values.seeds, { least: 1, otherwise: 1 })

const list = (of: Record<string, { what: string }>): boolean => {
  for (const [name, { what }] of Object.entries(of)) say(`${name}: ${what}`)
  return true
}

function run(): boolean | Promise<boolean> {
  if (values['list-mutants']) return list(MUTANTS)
  if (values['list-stories']) return list(ALL)
  const seeds = Array.from({ length: times }, (_, n) => n + 1)
  if (values.mutants)
    return runMutants(
      mutant === undefined ? Object.keys(MUTANTS).filter((name) => MUTANTS[name]!.stories.length > 0) : [mutant],
      seeds,
      say,
    )
  const stories = [
    ...(values.stories ? Object.keys(STORIES).filter((name) => !cluster || !STORIES[name]!.needsTemporalFile) : []),
    ...(values['slow-server'] ? Object.keys(SLOW_SERVER) : []),
    ...(values.postgres ? Object.keys(POSTGRES) : []),
    ...(story === undefined ? [] : [story]),
  ]
  if (stories.length > 0 && mutant !== undefined) {
    refuse(`Stories run with the correct build. --mutants --mutant ${mutant} plays the stories of a mutant`)
  }
  if (stories.length > 0) return runStories(stories, seeds, { cluster }, say)
  if (values.campaign !== undefined) {
    const recipients = wholeNumber('campaign', values.campaign, { least: 100, otherwise: 20_000 })
    return runCampaign({ recipients, kills, seed, mutant, cluster }, say)
  }
  if (values.webhooks !== undefined) {
    const facts = wholeNumber('webhooks', values.webhooks, { least: 100, otherwise: 10_000 })
    return runWebhooks({ facts, kills, seed, mutant, cluster }, say)
  }
  return runLoad({ enrollments, kills, seed, mutant, cluster }, say)
}

process.exit((await run()) ? 0 : 1)
