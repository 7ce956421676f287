import { createHash, type KeyObject } from 'node:crypto'
import { openReturnPath } from '../signed-links/index.ts'
import { isErasedContactOf, suppressAtErased } from '../consent/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import { forTerminal } from '../platform/terminal.ts'
import { recordDelivery } from './record-delivery.ts'
import type { ProviderEvent } from './providers/index.ts'
import { findByRecipient, findByReturnPath, belongsToOtherWorkspace, type ReportedMessage } from './queries.ts'
import { recordBounce, type RecordResult } from './record-bounce.ts'

/**
 * Records the events that a mail provider reports to a workspace. Ignores events of addresses that the workspace sent nothing to,
 * because the provider's account may also serve other senders.
 *
 * @param secret signs return paths
 */
export async function receiveFeedback(
  dependencies: Dependencies,
  secret: KeyObject,
  workspaceId: string,
  source: string,
  events: readonly ProviderEvent[],
): Promise<RecordResult[]> {
  const em = dependencies.em.fork()
  const results: RecordResult[] = []
  for (const event of events) {
    const { kind, category, status, diagnostic, providerVerdict, id } = event
    const sourceId = id === '' ? null : forTerminal(id).toWellFormed().slice(0, 500)
    const of = await findFor(em, secret, workspaceId, event)
    const report = { status, diagnostic, source, sourceId }
    const result =
      typeof of === 'string'
        ? of
        : kind === 'DELIVERED'
          ? await recordDelivery(dependencies, of, report)
          : await recordBounce(dependencies, of, { ...report, kind, category, providerVerdict })
    if (result === 'erased')
      await suppressErased(dependencies, workspaceId, event, sourceId && hashOf(`${source} ${sourceId}`))
    results.push(result === 'erased' || result === 'elsewhere' ? 'unknown' : result)
  }
  return results
}

/** Hashes an event ID, because no personal data of an erased contact may be stored. */
const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex')

/** Applies a complaint or opt-out of an erased contact to their address, because the contact may have been created again. */
async function suppressErased(
  dependencies: Dependencies,
  workspaceId: string,
  { kind, recipient }: ProviderEvent,
  told: string | null,
): Promise<void> {
  const address = recipient.trim()
  if (!isEmailAddress(address)) return
  if (kind === 'COMPLAINT') await suppressAtErased(dependencies, workspaceId, address, { reason: 'COMPLAINED', told })
  else if (kind === 'UNSUBSCRIBE')
    await suppressAtErased(dependencies, workspaceId, address, { reason: 'UNSUBSCRIBED', told })
}

/**
 * Finds the message of an event. Returns `erased` if there is none, because its contact may have been erased, and `elsewhere` if
 * it belongs to another workspace: several can share a provider's account.
 */
async function findFor(
  em: EntityManager,
  secret: KeyObject,
  workspaceId: string,
  { kind, recipient, messageId, returnPath }: ProviderEvent,
): Promise<ReportedMessage | 'erased' | 'elsewhere'> {
  const of = returnPath === null ? undefined : openReturnPath(secret, returnPath)
  if (of) {
    const found = await findByReturnPath(em, of)
    if (found) return found.workspaceId === workspaceId ? { ...found, isIdentified: true } : 'elsewhere'
    return (await isErasedContactOf(em, workspaceId, of.contactId)) ? 'erased' : 'elsewhere'
  }
  const address = recipient.trim()
  if (!isEmailAddress(address)) return 'elsewhere'
  const given = messageId === null ? null : forTerminal(messageId).toWellFormed()
  const isOurs = OURS.test(given ?? '')
  const key = emailKey(address)
  const isUndelivered = kind === 'DELIVERED' && !isOurs
  const found = await findByRecipient(em, workspaceId, key, { messageId: given, isOurs, isUndelivered })
  if (found) return { ...found, isIdentified: isOurs }
  return isOurs && (await belongsToOtherWorkspace(em, workspaceId, key, given!)) ? 'elsewhere' : 'erased'
}

/** Message-IDs of Dripline. Such an ID identifies one message, so do not search for another one. */
const OURS = /^<[0-9a-f]{32}@/
