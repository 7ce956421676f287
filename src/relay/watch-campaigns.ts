import pMap from 'p-map'
import {
  type UnfinishedCampaign,
  listUnfinishedCampaigns,
  PAUSE_REASONS,
  pauseAutomatically,
} from '../campaigns/index.ts'
import type { Dependencies } from '../outbox/index.ts'

/** Campaigns compared with Temporal concurrently. */
const CONCURRENCY = 5

/**
 * Compares the active campaigns with Temporal. A campaign whose workflow was cancelled or terminated there is paused, with the
 * reason. A campaign whose workflow Temporal has lost gets a new one.
 *
 * @param options.signalRunning whether to make running workflows check what to do next: Temporal's data may be from a backup
 */
export async function watchCampaigns(
  dependencies: Dependencies,
  { signalRunning = false }: { signalRunning?: boolean } = {},
): Promise<void> {
  const underWay = await listUnfinishedCampaigns(dependencies.em.fork())
  await pMap(underWay, (campaign) => watch(dependencies, campaign, signalRunning), { concurrency: CONCURRENCY })
}

async function watch(
  { em, enrollments, log }: Dependencies,
  { id, workspaceId, status, revision, isChanging }: UnfinishedCampaign,
  signalRunning: boolean,
): Promise<void> {
  // A resumed campaign may still have the terminated workflow: its new one is about to start.
  if (isChanging) return
  const state = await enrollments.campaignState(id)
  if (state === 'RUNNING' && !signalRunning) return
  if ((state === 'CANCELLED' || state === 'TERMINATED') && status !== 'CANCELLED') {
    const reason = state === 'CANCELLED' ? 'WORKFLOW_CANCELLED' : 'WORKFLOW_TERMINATED'
    if (await pauseAutomatically(em.fork(), id, PAUSE_REASONS[reason], { seen: revision }))
      log.warn({ campaignId: id }, `Campaign paused: its workflow was ${state.toLowerCase()} in Temporal`)
    return
  }
  await enrollments.campaign(workspaceId, id)
}
