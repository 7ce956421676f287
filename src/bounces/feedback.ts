import { createHash, type KeyObject } from 'node:crypto'
import { openReturnPath } from '../signed-links/index.ts'
import { isErasedOf, suppressAtErased } from '../consent/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import { forTerminal } from '../platform/terminal.ts'
import type { ProviderEvent } from './providers/index.ts'
import { type Bounced, findByRecipient, findByReturnPath, isOfAnother } from './queries.ts'
import { recordBounce, type Recorded } from './record-bounce.ts'

/**
 * Records what a mail provider tells of a workspace's mail. An event of an address that the workspace has sent nothing to is of nothing: the
 * provider may be somebody else's, too.
 *
 * @param secret what return paths are signed with
 */
export async function takeFeedback(
  dependencies: Dependencies,
  secret: KeyObject,
  workspaceId: string,
  source: string,
  events: readonly ProviderEvent[],
): Promise<Recorded[]> {
  const em = dependencies.em.fork()
  const results: Recorded[] = []
  for (const event of events) {
    const { kind, status, diagnostic, id } = event
    const sourceId = id === '' ? null : forTerminal(id).toWellFormed().slice(0, 500)
    const of = await findFor(em, secret, workspaceId, event)
    const told = { kind, status, diagnostic, source, sourceId }
    const result = typeof of === 'string' ? of : await recordBounce(dependencies, of, told)
    if (result === 'erased')
      await heedErased(dependencies, workspaceId, event, sourceId && hashOf(`${source} ${sourceId}`))
    results.push(result === 'erased' || result === 'elsewhere' ? 'unknown' : result)
  }
  return results
}

/** Of somebody who is erased nothing is kept that could name her. */
const hashOf = (told: string): string => createHash('sha256').update(told).digest('hex')

/** What she wants who is erased since holds for her address: somebody may have made her anew. */
async function heedErased(
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
 * The message that an event is of. Of none that there is it can be of somebody who is erased; what is another workspace's is nothing here: a
 * provider's account can be of several.
 */
async function findFor(
  em: EntityManager,
  secret: KeyObject,
  workspaceId: string,
  { recipient, messageId, returnPath }: ProviderEvent,
): Promise<Bounced | 'erased' | 'elsewhere'> {
  const of = returnPath === null ? undefined : openReturnPath(secret, returnPath)
  if (of) {
    const found = await findByReturnPath(em, of)
    if (found) return found.workspaceId === workspaceId ? found : 'elsewhere'
    return (await isErasedOf(em, workspaceId, of.contactId)) ? 'erased' : 'elsewhere'
  }
  const address = recipient.trim()
  if (!isEmailAddress(address)) return 'elsewhere'
  const given = messageId === null ? null : forTerminal(messageId).toWellFormed()
  const isOurs = OURS.test(given ?? '')
  const key = emailKey(address)
  const found = await findByRecipient(em, workspaceId, key, { messageId: given, isOurs })
  if (found) return found
  return isOurs && (await isOfAnother(em, workspaceId, key, given!)) ? 'elsewhere' : 'erased'
}

/** As this product writes a Message-ID: where it is one, it is that message, or none of this workspace's. */
const OURS = /^<[0-9a-f]{32}@/
