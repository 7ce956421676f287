import { readLostUntil, readMailMode, readRestoredAt } from '../instance/index.ts'
import { isDelivered, SENDER_DIED, settleAbandonedOf, warnOf } from '../messages/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { AS_IT_IS } from '../platform/db/sql.ts'
import { readSender } from '../senders/index.ts'
import type { CampaignStep } from '../sequences/index.ts'
import { Workspace } from '../workspaces/index.ts'
import { releaseRest, whenDecided } from './ab-test-queries.ts'
import { recipientsOf } from './audience.ts'
import { contentsFor } from './contents-queries.ts'
import { Campaign } from './entities.ts'
import {
  analyzeMessages,
  beginSending,
  dismissErased,
  dismissQueued,
  finishCampaign,
  hasOpen,
  keepRate,
  pauseByItself,
  restOf,
} from './queries.ts'
import { type PageOf, type Times, walkRecipients, zonesOfPage } from './recipients-queries.ts'
import { dueMessages, type QueuedMessage } from './send-queries.ts'
import { type AdvanceDependencies, CampaignSending } from './campaign-sending.ts'
import { type LocalTimes, localTimes } from './local-time.ts'

/** How many emails are drafted and rendered at once. */
const PAGE = 200
/** How long one turn is at most, in milliseconds: campaigns of others wait for their turns. */
const TURN_MS = 10_000
/** How soon it is looked again, in milliseconds: where no connection was free, an email is under way, or all is held. */
const SOON_MS = 2_000
const HELD_MS = 10_000
const DISMISSED_AT_ONCE = 2_000

/**
 * Does what comes next of a campaign, for some seconds: writes recipients into the ledger, mails those that are due, or neither.
 * All of it may be done twice, and by two at a time: what was mailed is what the ledger has claimed.
 */
export async function advanceCampaign(
  dependencies: AdvanceDependencies,
  campaignId: string,
  turn: AbortSignal,
): Promise<CampaignStep> {
  const em = dependencies.em.fork()
  const campaign = await em.findOne(Campaign, { id: campaignId }, AS_IT_IS)
  if (!campaign) return { next: 'end' }
  // Whatever has become of the campaign: also one that was tried again behind its end.
  for (const messageId of await settleAbandonedOf(em, campaignId)) {
    dependencies.metrics.settled('UNCONFIRMED')
    warnOf(dependencies.log, { status: 'UNCONFIRMED', error: SENDER_DIED }, { messageId, campaignId })
  }
  switch (campaign.status) {
    case 'DRAFT':
    case 'SENT':
      return { next: 'end' }
    case 'PAUSED':
      return { next: 'wait', until: null }
    case 'CANCELLED':
      if ((await dismissQueued(em, campaignId, DISMISSED_AT_ONCE)) === DISMISSED_AT_ONCE) return { next: 'go-on' }
      // What is being handed over may come back, or its sender may have died.
      // One that was just then somebody else's is left the next time.
      return (await hasOpen(em, campaignId)) ? soon(SOON_MS) : { next: 'end' }
    case 'SCHEDULED': {
      const at = campaign.scheduledAt ?? new Date()
      if (at.getTime() > Date.now()) return { next: 'wait', until: at.getTime() }
      // Postgres's clock may be behind ours.
      return (await beginSending(em, campaignId)) ? { next: 'go-on' } : soon(SOON_MS)
    }
    case 'SENDING':
      return send(dependencies, em, campaign, turn)
  }
}

const soon = (ms: number): CampaignStep => ({ next: 'wait', until: Date.now() + ms })

async function send(
  dependencies: AdvanceDependencies,
  em: EntityManager,
  campaign: Campaign,
  turn: AbortSignal,
): Promise<CampaignStep> {
  const { id } = campaign
  const deadline = performance.now() + TURN_MS
  let { cursor, walked } = campaign
  const audience = walked ? undefined : await recipientsOf(em, campaign.workspaceId, campaign.audience)
  if (audience && audience.missing !== null) {
    // Of whoever was to be left out by it, nobody is known any more.
    dependencies.log.error({ campaignId: id }, 'A campaign is paused: a list or a segment of its audience is gone')
    return (await pauseByItself(em, id)) ? { next: 'wait', until: null } : { next: 'go-on' }
  }
  const times = walked ? null : timesOf(campaign)
  while (performance.now() < deadline && !turn.aborted) {
    if (campaign.nextAt && campaign.nextAt.getTime() > Date.now())
      return { next: 'wait', until: campaign.nextAt.getTime() }
    // All of them first: whoever is moved between lists in the days that it is sent is still mailed once, or not.
    if (!walked) {
      const of = { id, workspaceId: campaign.workspaceId, cursor, abTest: campaign.abTest ?? null }
      const page = await walkRecipients(em, of, audience!, await timesOfPage(em, of, times))
      // Somebody else goes on with it, or it was paused.
      if (page === undefined) return { next: 'go-on' }
      ;({ cursor, walked } = page)
      if (walked) await analyzeMessages(em, id)
      continue
    }
    const rest = await restOf(em, id)
    // Paused, or cancelled, since.
    if (!rest.mayGoOn) return { next: 'go-on' }
    const now = Date.now()
    // Who was tried once, and is put off, keeps nobody waiting.
    let decidesAt: Date | undefined
    if (rest.isHeld && !rest.isQueued && !rest.isSending) {
      decidesAt = await whenDecided(em, id)
      if (decidesAt && decidesAt.getTime() <= now) {
        if (!(await releaseRest(em, id))) return soon(SOON_MS)
        continue
      }
    }
    if (rest.dueAt === null) {
      if (rest.isSending) return soon(SOON_MS)
      if (decidesAt) return { next: 'wait', until: decidesAt.getTime() }
      if (rest.isHeld) return soon(SOON_MS)
      return (await finishCampaign(em, id)) ? { next: 'end' } : soon(SOON_MS)
    }
    if (rest.dueAt.getTime() > now)
      return { next: 'wait', until: Math.min(rest.dueAt.getTime(), decidesAt?.getTime() ?? Infinity) }
    const page = await dueMessages(em, id, pageSize(dependencies, campaign))
    if (page.length === 0 && (await dismissErased(em, id))) continue
    // What may not be claimed is not brought to its mail server, either.
    if ((await readRestoredAt(em.fork())) !== null && !(await mayBeLost(em, campaign))) return soon(HELD_MS)
    // Anew with each page: a sender, or how this installation sends mail, may be another by now.
    const sending = await prepare(dependencies, em.fork(), campaign, page)
    // Before: whoever dies in the middle of it has not sent more in that time.
    const keepsOwnRate = campaign.throttlePerHour != null && page.length > 0
    if (keepsOwnRate) campaign.nextAt = await keepRate(em, id, page.length)
    const done = await sending.sendAll(page, turn, deadline)
    const unsent = page.length - done.mailed
    if (keepsOwnRate && unsent > 0) campaign.nextAt = await keepRate(em, id, -unsent)
    if (done.isHeld) return soon(HELD_MS)
    if (done.warmsUpForMs !== undefined) return soon(done.warmsUpForMs)
    // Nobody had a connection, or all of it changed meanwhile.
    if (done.tried === 0) return soon(SOON_MS)
    if (dependencies.keepsRate) break
  }
  return { next: 'go-on' }
}

/** A rate is kept by few at a time; and where the queue keeps one, each of its turns is one email. */
function pageSize({ keepsRate }: AdvanceDependencies, { throttlePerHour }: Campaign): number {
  if (keepsRate) return 1
  return throttlePerHour == null ? PAGE : Math.max(1, Math.min(PAGE, Math.floor(throttlePerHour / 360)))
}

async function prepare(
  dependencies: AdvanceDependencies,
  em: EntityManager,
  campaign: Campaign,
  page: readonly QueuedMessage[],
) {
  const workspace = await em.findOneOrFail(Workspace, { id: campaign.workspaceId })
  const mail = await readMailMode(em.fork())
  return new CampaignSending(dependencies, {
    campaign,
    contentOf: await contentsFor(em, campaign.id, page),
    sender: await readSender(em, campaign.workspaceId),
    workspaceMode: workspace.mode,
    mail,
    isDelivered: isDelivered({ workspaceMode: workspace.mode, mail }),
    mayBeLost: await mayBeLost(em, campaign),
  })
}

/**
 * What this installation was before it was restored may have mailed anybody of a campaign whose time had come: also where the backup knows
 * nothing of it. A test workspace mails nobody.
 */
async function mayBeLost(em: EntityManager, { workspaceId, scheduledAt, startedAt }: Campaign): Promise<boolean> {
  const lostUntil = await readLostUntil(em.fork())
  if (lostUntil === null || ![scheduledAt, startedAt].some((at) => at != null && at <= lostUntil)) return false
  return (await em.fork().findOneOrFail(Workspace, { id: workspaceId })).mode === 'live'
}

const timesOf = ({ localTime, fallbackTimeZone }: Campaign): LocalTimes | null =>
  localTime == null ? null : localTimes(localTime, fallbackTimeZone ?? 'UTC')

/** When each contact of a page is to be mailed, by the zone that is known of it. */
async function timesOfPage(em: EntityManager, page: PageOf, times: LocalTimes | null): Promise<Times | null> {
  if (!times) return null
  return { zones: times.in(await zonesOfPage(em, page)), fallback: times.fallback }
}
