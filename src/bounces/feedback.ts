import type { KeyObject } from 'node:crypto'
import { openReturnPath } from '../installation/index.ts'
import { suppressAtErased } from '../consent/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import { forTerminal } from '../platform/terminal.ts'
import type { ProviderEvent } from './providers/index.ts'
import { type Bounced, findByRecipient, findByReturnPath } from './queries.ts'
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
    const bounced = await findFor(em, secret, workspaceId, event)
    if (!bounced) await heedErased(dependencies, workspaceId, event)
    const sourceId = id === '' ? null : forTerminal(id).toWellFormed().slice(0, 500)
    results.push(await recordBounce(dependencies, bounced, { kind, status, diagnostic, source, sourceId }))
  }
  return results
}

/** What she wants who is erased since holds for her address: somebody may have made her anew. */
async function heedErased(
  dependencies: Dependencies,
  workspaceId: string,
  { kind, recipient }: ProviderEvent,
): Promise<void> {
  const address = recipient.trim()
  if (!isEmailAddress(address)) return
  if (kind === 'COMPLAINT') await suppressAtErased(dependencies, workspaceId, address, 'COMPLAINED')
  else if (kind === 'UNSUBSCRIBE') await suppressAtErased(dependencies, workspaceId, address, 'UNSUBSCRIBED')
}

async function findFor(
  em: EntityManager,
  secret: KeyObject,
  workspaceId: string,
  { recipient, messageId, returnPath }: ProviderEvent,
): Promise<Bounced | undefined> {
  const of = returnPath === null ? undefined : openReturnPath(secret, returnPath)
  if (of) {
    const found = await findByReturnPath(em, of)
    // A provider's account says nothing of another workspace's mail.
    return found?.workspaceId === workspaceId ? found : undefined
  }
  const address = recipient.trim()
  if (!isEmailAddress(address)) return undefined
  const given = messageId === null ? null : forTerminal(messageId).toWellFormed()
  return findByRecipient(em, workspaceId, emailKey(address), { messageId: given, isOurs: OURS.test(given ?? '') })
}

/** As this product writes a Message-ID: where it is one, it is that message, or none of this workspace's. */
const OURS = /^<[0-9a-f]{32}@/
