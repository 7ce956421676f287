import { pageSizes } from '../platform/page-sizes.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { lastPosition, readRecipients } from '../contacts/index.ts'
import { mayBeLost } from '../instance/index.ts'
import {
  dismissMessages,
  dueRecipients,
  expireLeases,
  logOutcome,
  type Prepared,
  preparedFrom,
  readSendSettings,
  remainingRecipients,
  SENDER_STOPPED_ERROR,
  type SendSettings,
  type StoredMessage,
  withGroups,
} from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { FRESH_READ } from '../platform/db/sql.ts'
import type { CampaignStep } from '../automation-engine/index.ts'
import { recipientsOf } from './audience.ts'
import { sendPage } from './campaign-sending.ts'
import { contextOf, localeOf } from './campaign-source.ts'
import { contentsFor } from './contents-queries.ts'
import { decisionTime, releaseRemainingRecipients } from './decide-winner.ts'
import { Campaign } from './entities.ts'
import { finishCampaign } from './finish-campaign.ts'
import { type LocalTimes, localTimes } from './local-time.ts'
import {
  analyzeMessages,
  beginSending,
  hasOpen,
  isSending,
  applyThrottle,
  PAUSE_REASONS,
  pauseAutomatically,
} from './queries.ts'
import { pauseForReputation } from './pause-for-reputation.ts'
import { queuePage } from './recipients.ts'
import type { AdvanceDependencies } from './transmission.ts'
import { type CampaignPosition, type SendTimes, zonesOfPage } from './recipients-queries.ts'

/** Emails that are prepared and rendered at once. */
const PAGE = 200
/** Maximum milliseconds of one turn. Other campaigns wait for theirs. */
const TURN_MS = 10_000
/** Milliseconds until the next check if no connection was free, an email is being sent, or sending is disabled. */
const SOON_MS = 2_000
const RECHECK_MS = 10_000
/** A time within these milliseconds is awaited here, without a timer of Temporal. */
const AWAITED_MS = 1_000
const EXPIRED_AT_ONCE = 1_000

/**
 * Advances a campaign for a few seconds: queues recipients, or sends to those that are due. It is safe to repeat, and to run in
 * two processes concurrently, because each message is claimed before it is sent.
 */
export async function advanceCampaign(
  dependencies: AdvanceDependencies,
  campaignId: string,
  turn: AbortSignal,
): Promise<CampaignStep> {
  const em = dependencies.em.fork()
  const campaign = await em.findOne(Campaign, { id: campaignId }, FRESH_READ)
  if (!campaign) return { next: 'end' }
  await expireAbandoned(dependencies, campaignId)
  switch (campaign.status) {
    case 'DRAFT':
    case 'SENT':
      return { next: 'end' }
    case 'PAUSED':
      return { next: 'wait', until: null }
    case 'CANCELLED': {
      const dismissed = await dismissMessages(em, { campaignId, limit: pageSizes.dismissed }, CANCELLED)
      if (dismissed === pageSizes.dismissed) return { next: 'continue' }
      // A message that is being sent may still be deferred. The next turn dismisses it then.
      return (await hasOpen(em, campaignId)) ? soon(SOON_MS) : { next: 'end' }
    }
    case 'SCHEDULED': {
      const at = campaign.scheduledAt ?? new Date()
      if (at.getTime() > Date.now()) return { next: 'wait', until: at.getTime() }
      // Postgres's clock may be slow compared with ours.
      return (await beginSending(em, campaignId, await lastPosition(em, campaign.workspaceId)))
        ? { next: 'continue' }
        : soon(SOON_MS)
    }
    case 'SENDING':
      return send(dependencies, em, campaign, turn)
  }
}

const CANCELLED = 'The campaign was cancelled before it could be sent'

const isSoon = (until: number | null | undefined): until is number =>
  typeof until === 'number' && until - Date.now() < AWAITED_MS

const soon = (ms: number): CampaignStep => ({ next: 'wait', until: Date.now() + ms })

/** Makes messages UNCONFIRMED whose sending process died. Includes campaigns that have ended: a retry may have been sent. */
async function expireAbandoned({ em, metrics, log }: AdvanceDependencies, campaignId: string): Promise<void> {
  const expired = await expireLeases(em.fork(), {
    error: SENDER_STOPPED_ERROR,
    campaignId,
    graceSeconds: 0,
    limit: EXPIRED_AT_ONCE,
  })
  for (const messageId of expired) {
    metrics.settled('UNCONFIRMED')
    logOutcome(log, { status: 'UNCONFIRMED', error: SENDER_STOPPED_ERROR }, { messageId, campaignId })
  }
}

async function send(
  dependencies: AdvanceDependencies,
  em: EntityManager,
  campaign: Campaign,
  turn: AbortSignal,
): Promise<CampaignStep> {
  const { id } = campaign
  const deadline = performance.now() + TURN_MS
  // Queue all recipients first: a contact that moves between lists during the campaign gets the email once or not at all.
  if (!campaign.materialized) {
    const next = await queueAll(dependencies, em, campaign, turn, deadline)
    if (next) return next
  }
  while (performance.now() < deadline && !turn.aborted) {
    if (campaign.nextAt && campaign.nextAt.getTime() > Date.now())
      return { next: 'wait', until: campaign.nextAt.getTime() }
    const due = await findNextStep(em, campaign)
    // Recipients of a provider that gets mail too fast are due every moment. A timer of Temporal for each would be expensive.
    if (due !== 'recipients' && due.next === 'wait' && isSoon(due.until)) {
      await delay(Math.max(0, due.until - Date.now()))
      continue
    }
    if (due !== 'recipients') return due
    if (await pauseForReputation(dependencies, em, campaign)) return { next: 'wait', until: null }
    const page = await dueRecipients(em, id, pageSize(campaign))
    // A sender, or how the instance sends mail, may have changed since the last page.
    const settings = await readSendSettings(em, campaign.workspaceId)
    if (!settings) return { next: 'end' }
    if (!settings.isOpen) return soon(RECHECK_MS)
    const messages = await preparePage(em, campaign, page, settings)
    // Counted before they are sent, so that a process that dies has never sent more than the rate allows.
    const keepsOwnRate = campaign.throttlePerHour != null && messages.length > 0
    if (keepsOwnRate) campaign.nextAt = await applyThrottle(em, id, messages.length)
    const done = await sendPage(dependencies, messages, {
      turn,
      until: deadline,
      mayBeLost: isLost(campaign, settings),
    })
    const unsent = messages.length - done.mailed
    if (keepsOwnRate && unsent > 0) campaign.nextAt = await applyThrottle(em, id, -unsent)
    if (done.isHeld) return soon(RECHECK_MS)
    if (done.warmsUpForMs !== undefined) return soon(done.warmsUpForMs)
    // No connection was free, or every message of the page changed in the meantime.
    if (done.tried === 0 && messages.length > 0) return soon(SOON_MS)
  }
  return { next: 'continue' }
}

/** Queues the recipients. @returns the next step; `undefined` once all are queued */
async function queueAll(
  { log }: AdvanceDependencies,
  em: EntityManager,
  campaign: Campaign,
  turn: AbortSignal,
  deadline: number,
): Promise<CampaignStep | undefined> {
  const { id, workspaceId } = campaign
  const audience = await recipientsOf(em, workspaceId, campaign.audience, { at: campaign.startedAt ?? new Date() })
  if (audience.missing !== null) {
    // The excluded contacts can no longer be determined.
    log.error({ campaignId: id }, 'Campaign paused: a list or a segment of its audience was deleted')
    return (await pauseAutomatically(em, id, PAUSE_REASONS.AUDIENCE_MISSING))
      ? { next: 'wait', until: null }
      : { next: 'continue' }
  }
  const times = timesOf(campaign)
  let { cursor } = campaign
  while (performance.now() < deadline && !turn.aborted) {
    const of = { id, workspaceId, cursor, abTest: campaign.abTest ?? null }
    const page = await queuePage(em, of, audience, await timesOfPage(em, of, times))
    // Another process advanced it, or it was paused.
    if (page === undefined) return { next: 'continue' }
    ;({ cursor } = page)
    if (page.materialized) {
      await analyzeMessages(em, id)
      return undefined
    }
  }
  return { next: 'continue' }
}

/** Determines what a campaign with queued recipients waits for. @returns `recipients` if some are due */
async function findNextStep(em: EntityManager, campaign: Campaign): Promise<CampaignStep | 'recipients'> {
  const { id } = campaign
  const rest = await remainingRecipients(em, id)
  // Paused or cancelled in the meantime.
  if (!(await isSending(em, id))) return { next: 'continue' }
  const now = Date.now()
  let decidesAt: Date | undefined
  if (rest.isWaitingForWinner && !rest.isQueued && !rest.isSending) {
    decidesAt = await decisionTime(em, id)
    if (decidesAt && decidesAt.getTime() <= now)
      return (await releaseRemainingRecipients(em, id, campaign.abTest?.winnerBy ?? 'OPENED'))
        ? { next: 'continue' }
        : soon(SOON_MS)
  }
  if (rest.dueAt === null) {
    if (rest.isSending) return soon(SOON_MS)
    if (decidesAt) return { next: 'wait', until: decidesAt.getTime() }
    if (rest.isWaitingForWinner) return soon(SOON_MS)
    return (await finishCampaign(em, id)) ? { next: 'end' } : soon(SOON_MS)
  }
  if (rest.dueAt.getTime() > now)
    return { next: 'wait', until: Math.min(rest.dueAt.getTime(), decidesAt?.getTime() ?? Infinity) }
  return 'recipients'
}

/** Prepares recipients that are due. Dismisses recipients whose contact was erased in the meantime. */
export async function preparePage(
  em: EntityManager,
  campaign: Campaign,
  page: readonly StoredMessage[],
  settings: SendSettings,
): Promise<Prepared[]> {
  const recipients = await readRecipients(
    em,
    campaign.workspaceId,
    page.map(({ contactId }) => contactId),
  )
  const erased = page.filter(({ contactId }) => !recipients.has(contactId))
  if (erased.length > 0) await dismissMessages(em, { ids: erased.map(({ id }) => id) }, null)
  const wantedBy = ({ variant, contactId }: StoredMessage) => ({
    variant,
    locale: localeOf(recipients.get(contactId)!),
  })
  const known = page.filter(({ contactId }) => recipients.has(contactId))
  const contentOf = await contentsFor(em, campaign.id, known.map(wantedBy))
  const messages = known.map((stored) => {
    const context = contextOf(campaign, stored, contentOf(wantedBy(stored)))
    const recipient = recipients.get(stored.contactId)!
    return preparedFrom({ ref: stored.ref, intent: 'send' }, stored, context, recipient, settings)
  })
  return withGroups(em, campaign.workspaceId, messages)
}

/** Size of a page. Pages are small to keep a rate. */
const pageSize = ({ throttlePerHour }: Campaign): number =>
  throttlePerHour == null ? PAGE : Math.max(1, Math.min(PAGE, Math.floor(throttlePerHour / 360)))

/** Checks whether the campaign was due before a restore, which may have lost the record that it was sent. */
const isLost = ({ scheduledAt, startedAt }: Campaign, settings: SendSettings): boolean =>
  [scheduledAt, startedAt].some((at) => at != null && mayBeLost(settings, at))

const timesOf = ({ localTime, fallbackTimeZone }: Campaign): LocalTimes | null =>
  localTime == null ? null : localTimes(localTime, fallbackTimeZone ?? 'UTC')

/** Computes when each contact of a page is due, by their time zone. */
async function timesOfPage(
  em: EntityManager,
  page: CampaignPosition,
  times: LocalTimes | null,
): Promise<SendTimes | null> {
  if (!times) return null
  return { zones: times.in(await zonesOfPage(em, page)), fallback: times.fallback }
}
