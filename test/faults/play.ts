import { Random } from './random.ts'
import { Stage, Wrong } from './stage.ts'
import { POSTGRES, SLOW_SERVER, STORIES, type Story } from './stories/index.ts'
import type { World } from './world.ts'

export interface Played {
  story: string
  seed: number
  /** The result: right, wrong (a guarantee is broken), or the story could not be played to its end. */
  outcome: 'right' | 'wrong' | 'unplayed'
  reason: string
  seconds: number
}

const ALL: Record<string, Story> = { ...STORIES, ...SLOW_SERVER, ...POSTGRES }

/** Plays one story in a running world. */
export async function play(world: World, story: string, seed: number): Promise<Played> {
  const started = Date.now()
  let stage: Stage | undefined
  const done = (outcome: Played['outcome'], ...reasons: string[]): Played => ({
    story,
    seed,
    outcome,
    reason: [...reasons, ...(stage?.notes ?? [])].join('; '),
    seconds: Math.round((Date.now() - started) / 1000),
  })
  try {
    world.setMail({ takesMs: null })
    await world.ready()
    stage = await Stage.set(world, new Random(seed), `${story}-${seed}-${started}`)
    await ALL[story]!.play(stage)
    return stage.client.serverErrors.length > 0 ? done('wrong', ...stage.client.serverErrors) : done('right')
  } catch (error) {
    if (error instanceof Wrong) return done('wrong', error.message)
    return done('unplayed', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

/** Plays stories with each seed until one fails. All seeds of an isolated story are played concurrently. */
export async function playAll(
  world: World,
  stories: readonly string[],
  seeds: readonly number[],
  report: (played: Played) => void,
): Promise<Played[]> {
  const untilWrong = async (seed: number): Promise<Played> => {
    let seconds = 0
    for (let n = 0; ; n += 1) {
      const played = await play(world, stories[n]!, seed)
      seconds += played.seconds
      if (played.outcome === 'right' && n + 1 < stories.length) continue
      report({ ...played, seconds })
      return { ...played, seconds }
    }
  }
  if (stories.every((story) => ALL[story]!.isApart)) return Promise.all(seeds.map(untilWrong))
  const all: Played[] = []
  for (const seed of seeds) all.push(await untilWrong(seed))
  return all
}
