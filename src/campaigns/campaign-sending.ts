import pMap from 'p-map'
import { isDelivered } from '../instance/index.ts'
import { MAX_WARM_UP_RECHECK_MS, type Prepared, Sending } from '../messages/index.ts'
import { NoSecretsKey } from '../platform/secrets.ts'
import { dkimOf, returnUnusedQuota, type QuotaShare, takeWarmUpQuota } from '../senders/index.ts'
import { type AdvanceDependencies, type PageResult, Transmission } from './transmission.ts'

const MAY_HAVE_BEEN_SENT = 'The instance was restored during the campaign: the message may have been sent'

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
    await new Transmission(dependencies, { turn, until }, sent).sendAll(wanted.slice(0, places.granted))
  } finally {
    await returnUnusedQuota(dependencies.em.fork(), first.workspaceId, places, sent.begun)
  }
  return sent
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
