import { CAMPAIGNS } from './campaigns.ts'
import { CHANGES } from './changes.ts'
import { ENTERING } from './entering.ts'
import { RESTORING } from './restoring.ts'
import { SENDING } from './sending.ts'
import { POSTGRES } from './postgres.ts'
import { STEPS } from './steps.ts'
import { SLOW_SERVER } from './slow-server.ts'
import type { Story } from './story.ts'

export { POSTGRES, SLOW_SERVER, type Story }

/** All stories by name: the correct build passes all of them, and each mutant fails in one. */
export const STORIES: Record<string, Story> = {
  ...ENTERING,
  ...SENDING,
  ...CHANGES,
  ...CAMPAIGNS,
  ...RESTORING,
  ...STEPS,
}
