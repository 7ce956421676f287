import pMap from 'p-map'
import { type UnfinishedCampaign, listUnfinishedCampaigns, pauseAutomatically } from '../campaigns/index.ts'
import type { Dependencies } from '../outbox/index.ts'

/** How many campaigns are compared with Temporal at a time. */
const CONCURRENCY = 5

/**
 * Compares the campaigns that are under way with Temporal. A campaign whose workflow was cancelled or terminated there is paused,
 * with the reason. One whose workflow Temporal has lost gets a new one.
 *
 * @param options.signalRunning whether to have running workflows look what is next: Temporal's data may be from a backup
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
  // A resumed campaign may still have the workflow that was terminated before: its new one is on its way.
  if (isChanging) return
  const state = await enrollments.campaignState(id)
  if (state === 'RUNNING' && !signalRunning) return
  if ((state === 'CANCELLED' || state === 'TERMINATED') && status !== 'CANCELLED') {
    const reason = state === 'CANCELLED' ? 'WORKFLOW_CANCELLED' : 'WORKFLOW_TERMINATED'
    if (await pauseAutomatically(em.fork(), id, reason, revision))
      log.warn({ campaignId: id }, `A campaign is paused: its workflow was ${state.toLowerCase()} in Temporal`)
    return
  }
  await enrollments.campaign(workspaceId, id)
}
