import { countSending, waitForSenders, waitingRetries } from '../messages/index.ts'
import { type Dependencies, enqueueEach } from '../outbox/index.ts'
import { whenDurable, type Call } from '../platform/call.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { unitOf } from '../platform/db/sql.ts'
import { ApiError } from '../platform/api-error.ts'
import { assertUnchanged, type Revisions } from '../platform/revisions.ts'
import { getSender } from '../senders/index.ts'
import { type CampaignEventType, recordWebhookFacts } from '../webhooks/index.ts'
import { audienceOf, findZone, isAudienceEmpty } from './audience.ts'
import { lockCampaign, saveWithNewRevision, wrongStatusError } from './campaigns.ts'
import { listVariantSummaries } from './contents-queries.ts'
import type { CampaignStatus } from './campaign.ts'
import type { Campaign } from './entities.ts'
import { type LocalTimes, localTimes, spanOf } from './local-time.ts'
import { CAMPAIGN_INCOMPLETE, AUDIENCE_EMPTY, TIME_IN_PAST } from './errors.ts'

export interface Schedule {
  at?: string | undefined
  localTime?: string | undefined
  fallbackTimeZone?: string | undefined
}

/** @throws {ApiError} `campaign_incomplete` if the winner could not be determined, or could not be sent at the scheduled time */
async function assertTestable(
  unit: EntityManager,
  campaign: Campaign,
  variants: Awaited<ReturnType<typeof listVariantSummaries>>,
  localTime: string | undefined,
): Promise<void> {
  const lacks = (message: string) => new ApiError(CAMPAIGN_INCOMPLETE, { message })
  const test = campaign.abTest!
  if (variants.length < test.variants.length || variants.some((one) => !one?.subject.trim() || !one.saysSomething))
    throw lacks('Each variant of an A/B test needs a subject and content')
  if (test.testPercent === 100) return
  if (localTime !== undefined)
    throw lacks(
      'An A/B test with a testPercent below 100 cannot be sent at a localTime: the remaining emails are sent when the winner is decided',
    )
  const sender = await getSender(unit, campaign.workspaceId)
  const [isTracked, field] =
    test.winnerBy === 'OPENED' ? [sender?.trackOpens, 'trackOpens'] : [sender?.trackClicks, 'trackClicks']
  if (campaign.category !== 'marketing' || isTracked !== true)
    throw lacks(
      `The winner by ${test.winnerBy} could not be determined. Set ${field} with PUT /sender; only marketing emails are tracked`,
    )
}

/** Milliseconds by which a time may be in the past and still count as now, because clocks differ. */
const PAST_MS = 60_000

const isPast = (time: Date): boolean => time.getTime() < Date.now() - PAST_MS

/** When a campaign is due in a contact's zone. An unknown zone uses the fallback. */
const timeIn = (times: LocalTimes, zone: string): Date => times.in([zone])[0]?.at ?? times.fallback

/**
 * Schedules a DRAFT for a given time, or sends it immediately. The recipients are determined when it starts.
 * @param expected the revision on which the request is based
 * @throws {ApiError} `campaign_incomplete`; `audience_empty`; `time_in_past`; `campaign_status_wrong`; `revision_conflict`
 */
export function scheduleCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  { at, localTime, fallbackTimeZone }: Schedule,
  call: Call,
  expected: Revisions,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, async (unit, campaign) => {
    assertUnchanged(expected, campaign.revision)
    if (campaign.status !== 'DRAFT') throw wrongStatusError(campaign.status, 'only a DRAFT can be scheduled')
    const [own, ...variants] = await listVariantSummaries(unit, id)
    // A design without blocks has html: an empty frame.
    if (!own?.saysSomething || campaign.source?.design?.blocks.length === 0) throw new ApiError(CAMPAIGN_INCOMPLETE)
    if (own.subject.trim() === '')
      throw new ApiError(CAMPAIGN_INCOMPLETE, { message: 'A campaign needs a subject before it is sent' })
    if (campaign.abTest) await assertTestable(unit, campaign, variants, localTime)
    const { listIds, segmentIds } = campaign.audience
    if (listIds.length + segmentIds.length === 0) {
      throw new ApiError(CAMPAIGN_INCOMPLETE, {
        message: 'A campaign needs an audience before it is sent. Set lists or segments in audience',
      })
    }
    if (await isAudienceEmpty(unit, workspaceId, campaign.audience)) throw new ApiError(AUDIENCE_EMPTY)
    const begins = at === undefined ? new Date() : new Date(at)
    if (isPast(begins)) throw new ApiError(TIME_IN_PAST, { param: '/at', message: 'at must not be in the past' })
    const fallback = fallbackTimeZone ?? 'UTC'
    const times = localTime === undefined ? undefined : localTimes(localTime, fallback)
    // Contacts in that zone would get the email immediately, which cannot be undone.
    const zone = times && (await findZone(unit, workspaceId, campaign, (each) => isPast(timeIn(times, each))))
    if (times && zone !== undefined)
      throw new ApiError(TIME_IN_PAST, {
        param: '/localTime',
        message: `localTime must not be in the past in any time zone of the audience. It is past in ${times.in([zone])[0]?.zone ?? fallback}`,
      })
    campaign.status = 'SCHEDULED'
    campaign.scheduledAt = times ? spanOf(times).first : begins
    campaign.localTime = localTime ?? null
    campaign.fallbackTimeZone = times ? fallback : null
  })
}

/** Pauses a campaign. No email of it starts after the response. @throws {ApiError} `campaign_status_wrong` */
export async function pauseCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, (_unit, campaign) => {
    const { status } = campaign
    if (status !== 'SCHEDULED' && status !== 'SENDING')
      throw wrongStatusError(status, 'only one that is SCHEDULED or SENDING can be paused')
    campaign.pausedFrom = status
    campaign.status = 'PAUSED'
  })
}

/** Retries that become due when a campaign resumes. */
const MAX_RETRIES = 10_000

/**
 * Resumes a campaign for the recipients who have not been mailed. @throws {ApiError} `campaign_status_wrong`; `list_not_found`,
 * `segment_not_found` if a part of its audience was deleted
 */
export async function resumeCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, async (unit, campaign) => {
    if (campaign.status !== 'PAUSED') throw wrongStatusError(campaign.status, 'only one that is PAUSED can be resumed')
    if (!campaign.materialized) await audienceOf(unit, workspaceId, campaign.audience, { lock: true })
    campaign.status = campaign.pausedFrom ?? 'SENDING'
    campaign.pausedFrom = null
    campaign.pauseReason = null
    await enqueueEach(unit, 'RETRY', await waitingRetries(unit, { campaignId: id }, null, MAX_RETRIES), 'bulk')
  })
}

/**
 * Cancels a campaign. Recipients who have not been mailed yet get nothing. A campaign that has not started becomes a DRAFT again.
 * @throws {ApiError} `campaign_status_wrong`
 */
export async function cancelCampaign(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
): Promise<Campaign> {
  return change(dependencies, workspaceId, id, call, (_unit, campaign) => {
    const { status } = campaign
    if (status !== 'SCHEDULED' && status !== 'SENDING' && status !== 'PAUSED')
      throw wrongStatusError(status, 'only one that is SCHEDULED, SENDING or PAUSED can be cancelled')
    if (campaign.startedAt == null) {
      campaign.status = 'DRAFT'
      campaign.scheduledAt = null
      campaign.localTime = null
    } else {
      campaign.status = 'CANCELLED'
      campaign.finishedAt = new Date()
    }
    campaign.pausedFrom = null
  })
}

/** The events of the statuses that requests set. */
const EVENT_OF: Partial<Record<CampaignStatus, CampaignEventType>> = {
  PAUSED: 'campaign.paused',
  CANCELLED: 'campaign.finished',
}

/** Changes a campaign and wakes its workflow. If it no longer sends anything, waits for the emails in flight. */
async function change(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  call: Call,
  how: (unit: EntityManager, campaign: Campaign) => void | Promise<void>,
): Promise<Campaign> {
  const { campaign, due } = await unitOf(dependencies.em).transactional(async (unit) => {
    const locked = await lockCampaign(unit, workspaceId, id)
    const { status } = locked
    await how(unit, locked)
    await saveWithNewRevision(unit, locked)
    const type = locked.status === status ? undefined : EVENT_OF[locked.status]
    if (type) await recordWebhookFacts(unit, [{ type, workspaceId, campaignId: id }])
    return {
      campaign: locked,
      due: await enqueueEach(unit, 'CAMPAIGN', [{ id: locked.id, workspaceId }], 'interactive'),
    }
  })
  await whenDurable(dependencies, call, async () => {
    await dependencies.deliverAtOnce(dependencies, due)
    if (campaign.status === 'PAUSED' || campaign.status === 'CANCELLED')
      await waitForSenders(() => countSending(dependencies.em.fork(), { campaignId: campaign.id }))
  })
  return campaign
}
