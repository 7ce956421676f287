import type { Stage } from '../stage.ts'

/** A test of one critical instant, targeted by the named points. It throws if a guarantee is broken. */
export interface Story {
  what: string
  /** Whether it disturbs no other story: then it can be played with many seeds at once. */
  isApart?: true
  /** Whether it restores Temporal's file, which does not exist in a cluster. */
  needsTemporalFile?: true
  play(stage: Stage): Promise<void>
}
