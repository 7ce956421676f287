import pMap from 'p-map'
import { SUPPRESSED_WORDS } from '../contacts/index.ts'
import {
  type Attempt,
  type ClaimAs,
  type Content,
  type Drafted,
  fromOf,
  LONGEST_WARM_UP_LOOK_MS,
  type MessageKey,
  messageIdOf,
  type Outcome,
  Sending,
  type SendMessageDependencies,
  untilDone,
  variablesOf,
} from '../messages/index.ts'
import { coalesce } from '../platform/coalesce.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { dkimOf, giveBackRest, type Places, takePlaces, type WorkspaceSender } from '../senders/index.ts'
import { newId } from '../platform/ids.ts'
import { createWeights } from '../platform/weights.ts'
import type { EmailContent, RenderedEmail, TemplateProblem } from '../rendering/index.ts'
import type { WorkspaceMode } from '../workspaces/index.ts'
import { campaignKey } from './campaign.ts'
import { RenderAhead } from './render-ahead.ts'
import type { Campaign } from './entities.ts'
import {
  claimMany,
  type ManyClaim,
  type ManyOutcome,
  type ManySettled,
  putOffMany,
  type QueuedMessage,
  recordMany,
  settleMany,
} from './send-queries.ts'

export interface AdvanceDependencies extends SendMessageDependencies {
  /** How many emails are handed over at a time, at most. */
  connections: number
  /** Whether each email takes a turn of the queue's, because that keeps a rate. */
  keepsRate: boolean
}

/** What is the same for a page of a campaign's messages. */
export interface Setting {
  campaign: Campaign
  /** What it says to somebody of the page. */
  contentOf: (message: QueuedMessage) => EmailContent
  workspaceMode: WorkspaceMode
  sender: WorkspaceSender | null
  mail: 'smtp' | 'capture' | null
  isDelivered: boolean
  /** Whether they may have been mailed already, by what this installation was before it was restored. */
  mayBeLost: boolean
}

/** How many characters of a campaign's emails are handed over at a time: however slowly that is, its memory is bounded. */
const MOST_CHARACTERS = 4_000_000

/** How long a message waits after a try that came to nothing, in seconds, and at most: it is doubled each time. */
const FIRST_PAUSE_SECONDS = 5
const LONGEST_PAUSE_SECONDS = 300

const MAY_HAVE_BEEN_SENT = 'This installation was restored in the middle of the campaign: it may have been sent'

/** What came of a page. */
export interface Sent {
  /** How many had their turn, whatever came of it. */
  tried: number
  /** How many of these a mail server was told of. */
  mailed: number
  /** How many of these were mailed, or may have been. */
  begun: number
  /** Whether this process can't send at all. */
  isHeld: boolean
  /** For how many milliseconds its sender mails nobody any more, because it is being warmed up. */
  warmsUpForMs?: number
}

/**
 * Sends messages of a campaign, each as one of a sequence is: render, permit, claim, hand over, record. What many of them ask of
 * the ledger in the same moment is one statement.
 */
export class CampaignSending {
  private readonly dependencies: AdvanceDependencies
  private readonly setting: Setting
  private readonly claimOne: (claim: ManyClaim) => Promise<boolean>
  private readonly settleOne: (settled: ManySettled) => Promise<boolean>
  private readonly recordOne: (outcome: ManyOutcome) => Promise<undefined>

  constructor(dependencies: AdvanceDependencies, setting: Setting) {
    this.dependencies = dependencies
    this.setting = setting
    const { id } = setting.campaign
    const em = () => this.em()
    this.claimOne = coalesce(async (claims) => {
      const claimed = await claimMany(em(), id, claims)
      return claims.map((claim) => claimed.has(claim.id))
    })
    this.settleOne = coalesce(async (settled) => {
      const done = await settleMany(em(), id, settled)
      return settled.map((each) => done.has(each.id))
    })
    this.recordOne = coalesce(async (outcomes) => {
      await recordForSure(dependencies, outcomes)
      return outcomes.map(() => undefined)
    })
  }

  /** @param until by `performance.now()`: those that have not begun by then are for another turn */
  async sendAll(page: readonly QueuedMessage[], turn: AbortSignal, until: number): Promise<Sent> {
    const { smtp } = this.dependencies
    if (this.setting.isDelivered && (!smtp || !this.canSign())) return { tried: 0, mailed: 0, begun: 0, isHeld: true }
    const sent: Sent = { tried: 0, mailed: 0, begun: 0, isHeld: false }
    const isToSend = (message: QueuedMessage) => message.suppressedBy === null && !this.setting.mayBeLost
    await pMap(
      page.filter((message) => !isToSend(message)),
      async (message) => {
        if (await this.settleUnsent(message)) sent.tried += 1
      },
    )
    const wanted = page.filter(isToSend)
    const places = await this.takePlaces(wanted.length)
    if (places.granted === 0 && wanted.length > 0)
      return { ...sent, warmsUpForMs: Math.min(places.moreInSeconds * 1_000, LONGEST_WARM_UP_LOOK_MS) }
    try {
      await this.handOverAll(wanted.slice(0, places.granted), turn, until, sent)
    } finally {
      await giveBackRest(this.em(), this.workspaceId, places, sent.begun)
    }
    return sent
  }

  private async handOverAll(
    toSend: readonly QueuedMessage[],
    turn: AbortSignal,
    until: number,
    sent: Sent,
  ): Promise<void> {
    const { connections, renderer } = this.dependencies
    const byContent = Map.groupBy(toSend, this.setting.contentOf)
    const emails = [...byContent].flatMap(([content, messages]) => messages.map((item) => ({ item, content })))
    // While some are handed over, the next ones are rendered.
    const rendered = new RenderAhead(renderer, emails, {
      owner: this.workspaceId,
      variablesOf: (message) => variablesOf(this.dependencies, this.keyOf(message), this.drafted(message)),
    })
    const holding = createWeights(MOST_CHARACTERS)
    await pMap(
      emails,
      async ({ item: message }, n) => {
        // By the longest that was seen so far: what it is before it is rendered nobody knows.
        await holding(rendered.longest, async () => {
          // The first ones are begun in any case.
          if (turn.aborted || (n >= connections && performance.now() > until)) return
          const email = await rendered.take(n)
          if (email !== undefined) await this.handOver(message, email, turn, sent)
        })
      },
      // Where one fails, as when the process is asked to stop, the others come to their ends.
      { concurrency: Math.max(connections * 2, 4), stopOnError: false },
    )
  }

  private async handOver(
    message: QueuedMessage,
    email: RenderedEmail | TemplateProblem,
    turn: AbortSignal,
    sent: Sent,
  ): Promise<void> {
    if (turn.aborted) return
    const sending = new Sending(this.dependencies, new CampaignAttempt(this, message), this.drafted(message))
    try {
      const { kind } = await sending.sendRendered(email, { turn })
      if (kind === 'queue') return
      sent.tried += 1
      sent.mailed += 1
    } finally {
      if (sending.mayBeMailed) sent.begun += 1
    }
  }

  /** For so many emails, where its sender is being warmed up. */
  private async takePlaces(wanted: number): Promise<Places> {
    const { sender, isDelivered, campaign } = this.setting
    if (!sender?.isWarmingUp || !isDelivered) return { granted: wanted, day: null, moreInSeconds: 0 }
    return takePlaces(this.em(), this.workspaceId, wanted, campaign.category === 'transactional')
  }

  private em(): EntityManager {
    return this.dependencies.em.fork()
  }

  private get workspaceId(): string {
    return this.setting.campaign.workspaceId
  }

  claim(claim: ManyClaim): Promise<boolean> {
    return this.claimOne(claim)
  }

  settle(settled: ManySettled): Promise<boolean> {
    return this.settleOne(settled)
  }

  async record(outcome: ManyOutcome): Promise<void> {
    await this.recordOne(outcome)
  }

  putOff(of: { id: string; claim: string; attempts: number; error: string; againSeconds: number }): Promise<void> {
    return putOffMany(this.dependencies.em.fork(), of)
  }

  private keyOf({ contactId }: QueuedMessage): MessageKey {
    return campaignKey(this.campaignId, contactId)
  }

  of(message: QueuedMessage): { key: MessageKey; claim: ManyClaim } {
    const key = this.keyOf(message)
    const { id, contactId, attempts, email: recipient, consents } = message
    const claim = {
      id,
      claim: newId(),
      contactId,
      attempts,
      recipient,
      consents,
      header: messageIdOf({ mailFrom: this.from }, key),
    }
    return { key, claim }
  }

  /** Unsigned, mail of somebody who signs would be taken for spam: another worker of the installation may have the key. */
  private canSign(): boolean {
    const { sender, campaign } = this.setting
    try {
      if (sender) dkimOf(this.dependencies.secrets, sender)
      return true
    } catch (error) {
      if (!(error instanceof NoSecretsKey)) throw error
      const { workspaceId } = campaign
      this.dependencies.log.warn({ reason: error.message, workspaceId }, 'A campaign cannot be signed, and waits')
      return false
    }
  }

  private get from(): string {
    return fromOf(this.dependencies, this.setting)
  }

  get campaignId(): string {
    return this.setting.campaign.id
  }

  /** What needs no email: nobody is to have it, or may have it already. */
  private async settleUnsent(message: QueuedMessage): Promise<boolean> {
    const { claim } = this.of(message)
    const as = this.setting.mayBeLost
      ? { status: 'UNCONFIRMED', error: MAY_HAVE_BEEN_SENT }
      : { status: 'SUPPRESSED', error: SUPPRESSED_WORDS[message.suppressedBy!] }
    const done = await this.settleOne({ ...claim, ...as, subject: null })
    if (done) this.dependencies.metrics.settled(as.status)
    return done
  }

  private drafted(message: QueuedMessage): Drafted {
    const { campaign, workspaceMode, mail } = this.setting
    return {
      attempts: message.attempts,
      workspaceId: campaign.workspaceId,
      workspaceMode,
      onSendFailure: 'CONTINUE',
      content: this.setting.contentOf(message),
      category: campaign.category,
      contactId: message.contactId,
      contact: { email: message.email, firstName: message.firstName, metadata: message.metadata },
      suppressedBy: message.suppressedBy,
      sender: this.setting.sender,
      event: null,
      listRequestId: null,
      mail,
    }
  }
}

/** An attempt at a message of a campaign. */
class CampaignAttempt implements Attempt {
  readonly key: MessageKey
  readonly claimId: string
  readonly ids: Record<string, string>
  private readonly sending: CampaignSending
  private readonly of: ManyClaim
  private readonly againSeconds: number

  constructor(sending: CampaignSending, message: QueuedMessage) {
    const { key, claim } = sending.of(message)
    this.sending = sending
    this.key = key
    this.of = claim
    this.claimId = claim.claim
    this.ids = { campaignId: sending.campaignId, contactId: message.contactId }
    this.againSeconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** message.attempts, LONGEST_PAUSE_SECONDS)
  }

  async claim(as: ClaimAs): Promise<string | undefined> {
    const content = 'content' in as ? as.content : undefined
    const claimed =
      as.status === 'SENDING'
        ? await this.sending.claim(this.of)
        : await this.sending.settle({
            ...this.of,
            status: as.status,
            error: 'error' in as ? as.error : null,
            subject: content?.subject ?? null,
          })
    return claimed ? this.of.id : undefined
  }

  record(id: string, outcome: Outcome, { recipient, subject }: Content): Promise<void> {
    return this.sending.record({
      id,
      claim: this.claimId,
      contactId: this.of.contactId,
      status: outcome.status,
      response: 'response' in outcome ? outcome.response : null,
      error: 'error' in outcome ? outcome.error : null,
      recipient,
      subject,
      againSeconds: this.againSeconds,
    })
  }

  putOff(reason: string): Promise<void> {
    const { id, claim, attempts } = this.of
    return this.sending.putOff({ id, claim, attempts, error: reason, againSeconds: this.againSeconds })
  }
}

/** Records outcomes against every error that can pass. What can't be stored is left out, and the outcome still is. */
async function recordForSure({ em, log }: AdvanceDependencies, outcomes: readonly ManyOutcome[]): Promise<void> {
  try {
    await untilDone(() => recordMany(em.fork(), outcomes))
  } catch (error) {
    log.error({ error }, 'What was sent cannot be stored; its outcome is')
    for (const outcome of outcomes) {
      const bare = { ...outcome, response: null, error: outcome.error === null ? null : 'It cannot be stored' }
      await untilDone(() => recordMany(em.fork(), [{ ...bare, subject: '' }]))
    }
  }
}
