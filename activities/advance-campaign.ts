import { Context, heartbeat, activityInfo } from '@temporalio/activity'
import { advanceCampaign as advance } from '../src/campaigns/index.ts'
import type { CampaignInput, CampaignStep } from '../src/sequences/index.ts'
import type { ActivityDependencies } from './dependencies.ts'

/** Does what comes next of a campaign, for some seconds. The heartbeat tells Temporal within seconds that the process has died. */
export async function advanceCampaign(
  dependencies: ActivityDependencies,
  { campaignId }: CampaignInput,
): Promise<CampaignStep> {
  const { heartbeatTimeoutMs } = activityInfo()
  const beat = setInterval(heartbeat, heartbeatTimeoutMs === undefined ? 5_000 : heartbeatTimeoutMs / 3)
  try {
    return await advance(dependencies, campaignId, Context.current().cancellationSignal)
  } finally {
    clearInterval(beat)
  }
}
