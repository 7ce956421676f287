import type { Stage } from '../stage.ts'

/** One instant that has to be got right, aimed at by the named points. It throws where it was not. */
export interface Story {
  what: string
  /** Whether it meets nobody: then it can be played with many seeds at once. */
  isApart?: true
  /** Whether it puts back Temporal's file, which there is none of in a cluster. */
  needsTemporalFile?: true
  play(stage: Stage): Promise<void>
}
