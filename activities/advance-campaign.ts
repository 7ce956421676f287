import { Context } from '@temporalio/activity'
import { advanceCampaign as advance } from '../src/campaigns/index.ts'
import type { CampaignInput, CampaignStep } from '../src/automation-engine/index.ts'
import { withHeartbeat } from './with-heartbeat.ts'
import type { ActivityDependencies } from './dependencies.ts'

/** Advances a campaign for a few seconds. */
export const advanceCampaign = (
  dependencies: ActivityDependencies,
  { campaignId }: CampaignInput,
): Promise<CampaignStep> => withHeartbeat(() => advance(dependencies, campaignId, Context.current().cancellationSignal))
