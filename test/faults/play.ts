import { Random } from './random.ts'
import { Stage, Wrong } from './stage.ts'
import { STORIES } from './stories/index.ts'
import type { World } from './world.ts'

export interface Played {
  story: string
  seed: number
  /** What came out: right, wrong (a sentence of the promise is broken), or the story could not be played to its end. */
  outcome: 'right' | 'wrong' | 'unplayed'
  reason: string
  seconds: number
}

/** Plays one story in a world that is up. */
export async function play(world: World, story: string, seed: number): Promise<Played> {
  const started = Date.now()
  const done = (outcome: Played['outcome'], reason = ''): Played => ({
    story,
    seed,
    outcome,
    reason,
    seconds: Math.round((Date.now() - started) / 1000),
  })
  try {
    await world.ready()
    const stage = await Stage.set(world, new Random(seed), `${story}-${seed}-${started}`)
    await STORIES[story]!.play(stage)
    if (stage.client.serverErrors.length > 0) return done('wrong', stage.client.serverErrors.join('; '))
    return done('right')
  } catch (error) {
    if (error instanceof Wrong) return done('wrong', error.message)
    return done('unplayed', error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}
