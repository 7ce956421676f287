import type { Stage } from '../stage.ts'

/** One instant that has to be got right, aimed at by the named points. It throws where it was not. */
export interface Story {
  what: string
  play(stage: Stage): Promise<void>
}
