import pMap from 'p-map'
import { isDelivered } from '../instance/index.ts'
import {
  MAX_WARM_UP_RECHECK_MS,
  type Prepared,
  Sending,
  type SendDependencies,
  variablesOf,
} from '../messages/index.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import type { RenderedEmail, TemplateProblem } from '../rendering/index.ts'
import { dkimOf, returnUnusedQuota, type QuotaShare, takeWarmUpQuota } from '../senders/index.ts'
import { RenderAhead } from './render-ahead.ts'

export interface AdvanceDependencies extends SendDependencies {
  /** Maximum number of emails transmitted at a time. */
  connections: number
  /** Whether each email takes its own turn in the sending queue, because the queue keeps a rate. */
  keepsRate: boolean
}

/** Seconds before a deferred recipient is tried again: initially and at most. */
const FIRST_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 300

const MAY_HAVE_BEEN_SENT = 'The instance was restored during the campaign: the message may have been sent'

/** Result of a page. */
export interface PageResult {
  /** Recipients that were processed, with any outcome. */
  tried: number
  /** Those of them for whom a mail server was contacted. */
  mailed: number
  /** Those of them to whom an email was or may have been sent. */
  begun: number
  /** Whether this process cannot send at all. */
  isHeld: boolean
  /** Milliseconds until the sender's warm-up allows more. */
  warmsUpForMs?: number
}

/**
 * Sends a page of a campaign's recipients. Each message goes through the usual steps: render, take a connection, claim, transmit,
 * record.
 *
 * @param options.until by `performance.now()`: messages not started by then are left for the next turn
 * @param options.mayBeLost whether a restore may have lost the record that they were sent
 */
export async function sendPage(
  dependencies: AdvanceDependencies,
  page: readonly Prepared[],
  { turn, until, mayBeLost }: { turn: AbortSignal; until: number; mayBeLost: boolean },
): Promise<PageResult> {
  const sent: PageResult = { tried: 0, mailed: 0, begun: 0, isHeld: false }
  const [first] = page
  if (!first) return sent
  if (isDelivered(first) && (!dependencies.smtp || !canSign(dependencies, first))) return { ...sent, isHeld: true }
  const isToSend = (message: Prepared) => message.suppressedBy === null && !mayBeLost
  await pMap(
    page.filter((message) => !isToSend(message)),
    async (message) => {
      const sending = new Sending(dependencies, message)
      const result = await (mayBeLost ? sending.abandon(MAY_HAVE_BEEN_SENT) : sending.suppress())
      if (result.kind === 'final') sent.tried += 1
    },
  )
  const wanted = page.filter(isToSend)
  const places = await takeQuotaFor(dependencies, wanted)
  if (places.granted === 0 && wanted.length > 0)
    return { ...sent, warmsUpForMs: Math.min(places.moreInSeconds * 1_000, MAX_WARM_UP_RECHECK_MS) }
  try {
    await transmitAll(dependencies, wanted.slice(0, places.granted), { turn, until }, sent)
  } finally {
    await returnUnusedQuota(dependencies.em.fork(), first.workspaceId, places, sent.begun)
  }
  return sent
}

async function transmitAll(
  dependencies: AdvanceDependencies,
  messages: readonly Prepared[],
  { turn, until }: { turn: AbortSignal; until: number },
  sent: PageResult,
): Promise<void> {
  const { connections, renderer } = dependencies
  const byContent = Map.groupBy(messages, ({ content }) => content)
  const emails = [...byContent].flatMap(([content, of]) => of.map((item) => ({ item, content })))
  // The next emails are rendered while some are transmitted.
  const rendered = new RenderAhead(renderer, emails, {
    owner: messages[0]?.workspaceId ?? '',
    variablesOf: (message) => variablesOf(dependencies, message),
  })
  await pMap(
    emails,
    async ({ item: message }, n) => {
      // The first ones start in any case.
      if (turn.aborted || (n >= connections && performance.now() > until)) return
      const email = await rendered.take(n)
      if (email !== undefined && !turn.aborted) await transmit(dependencies, message, email, turn, sent)
    },
    // If one fails, for example because the process is asked to stop, the others still finish.
    { concurrency: Math.max(connections * 2, 4), stopOnError: false },
  )
}

async function transmit(
  dependencies: AdvanceDependencies,
  message: Prepared,
  email: RenderedEmail | TemplateProblem,
  turn: AbortSignal,
  sent: PageResult,
): Promise<void> {
  const pauseSeconds = Math.min(FIRST_PAUSE_SECONDS * 2 ** message.attempts, MAX_PAUSE_SECONDS)
  const sending = new Sending(dependencies, message, pauseSeconds)
  try {
    const { kind } = await sending.sendRendered(email, { turn })
    if (kind === 'queue') return
    sent.tried += 1
    sent.mailed += 1
  } finally {
    if (sending.mayBeSent) sent.begun += 1
  }
}

async function takeQuotaFor(dependencies: AdvanceDependencies, messages: readonly Prepared[]): Promise<QuotaShare> {
  const [first] = messages
  if (!first?.sender?.isWarmingUp || !isDelivered(first))
    return { granted: messages.length, day: null, moreInSeconds: 0 }
  const isTransactional = first.category === 'transactional'
  return takeWarmUpQuota(dependencies.em.fork(), first.workspaceId, messages.length, isTransactional)
}

/**
 * Checks whether this process can sign the workspace's mail. Unsigned mail would be treated as spam. Another worker may have the
 * key.
 */
function canSign({ secrets, log }: AdvanceDependencies, { sender, workspaceId }: Prepared): boolean {
  try {
    if (sender) dkimOf(secrets, sender)
    return true
  } catch (error) {
    if (!(error instanceof NoSecretsKey)) throw error
    log.warn(
      { reason: error.message, workspaceId },
      'Campaign email cannot be signed; waiting for a worker that has the key',
    )
    return false
  }
}
