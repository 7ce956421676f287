import type { Story } from './check-promise.ts'
import type { World } from './world.ts'

/** Configuration of a world, and the events in it. */
export interface Setting {
  workers?: number
  /** Number of connections from each worker to the mail server. Default: 1. */
  connections?: number
  /** Number of mail servers. Default: 1. */
  mailServers?: number
  /** Number of events after which a workflow continues as new. */
  longHistory?: number
  /** Whether new events are mostly processed before the results of local activities. */
  longTasks?: boolean
  run(world: World): Promise<Story>
}
