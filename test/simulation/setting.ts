import type { Story } from './check-promise.ts'
import type { World } from './world.ts'

/** How a world is set up, and what happens in it. */
export interface Setting {
  workers?: number
  /** How many connections each worker has to the mail server; 1 if it is not said. */
  connections?: number
  /** How many mail servers there are; 1 if it is not said. */
  mailServers?: number
  /** After so many events a workflow continues as new. */
  longHistory?: number
  /** Whether what comes is mostly seen before the results of local activities. */
  longTasks?: boolean
  run(world: World): Promise<Story>
}
