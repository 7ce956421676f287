import {
  allHandlersFinished,
  condition,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { campaignChangedSignal, type CampaignInput } from '../src/automation-engine/index.ts'
import { advanceCampaign } from './activities.ts'
import { isHistoryLong } from './history.ts'

/**
 * One campaign, until every recipient was mailed or has a reason why not. The database decides what to do next, because it knows
 * the recipients and their messages. The workflow only keeps the campaign running, and has its timers.
 */
export async function campaign(input: CampaignInput): Promise<void> {
  let changes = 0
  setHandler(campaignChangedSignal, () => void (changes += 1))
  for (;;) {
    const seen = changes
    const { next, until = null } = await advanceCampaign(input)
    // A change in the meantime may have been too late for that check.
    if (next === 'end' && changes === seen) return
    if (next === 'wait' && changes === seen) {
      setCurrentDetails(until === null ? 'Waits to be resumed' : `Waits until ${new Date(until).toISOString()}`)
      const rest = until === null ? null : until - Date.now()
      const isChanged = () => changes !== seen
      if (rest === null) await condition(isChanged)
      else if (rest > 0) await condition(isChanged, rest)
    }
    if (!isHistoryLong()) continue
    await condition(allHandlersFinished)
    await makeContinueAsNewFunc<typeof campaign>()(input)
  }
}
