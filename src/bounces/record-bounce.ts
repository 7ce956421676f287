import type { SuppressionReason } from '../contacts/index.ts'
import { afterSuppressing, lockContact, suppressAddress } from '../consent/index.ts'
import { withoutReturnPaths } from '../signed-links/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey, withoutAddresses } from '../platform/email-address.ts'
import { newId } from '../platform/ids.ts'
import { forTerminal } from '../platform/terminal.ts'
import { Bounce } from './entities.ts'
import { type Bounced, insertBounce, renewUnsubscribing, countConsecutiveSoftBounces } from './queries.ts'
import type { BounceKind } from './verdict.ts'

/** What came back, as somebody tells it. */
export interface BounceReport {
  kind: BounceKind
  status: string | null
  diagnostic: string | null
  /** Who tells it: `smtp`, or a provider. */
  source: string
  /** By which they tell the same thing again. */
  sourceId: string | null
  /** Whether it speaks of others alone, to whom mail was passed on. */
  isOfOthers?: boolean
}

/**
 * What came of it:
 * - recorded, or known: it is in the ledger, which it was before
 * - unknown: of nothing of this workspace's
 * - erased: of no message that there is, or of somebody who was erased in this very moment: what she wants is to be heeded by her address
 * - later: the message is in the middle of its hand-over; what became of that is known soon
 */
export type Recorded = 'recorded' | 'known' | 'unknown' | 'erased' | 'later'

/** So many soft bounces in a row, and an address is given up. */
export const MAX_CONSECUTIVE_SOFT_BOUNCES = 5

/**
 * Records what came back of a message, and keeps its address from being mailed where it is to be, in one transaction. It is the address
 * that the message went to, whatever a report says. May be repeated.
 */
export async function recordBounce(dependencies: Dependencies, of: Bounced, told: BounceReport): Promise<Recorded> {
  if (of.isUnderWay) return 'later'
  const done = await dependencies.em.fork().transactional((unit) => record(unit, of, told))
  if (done === 'erased' || done === 'known') return done
  const { kind, status, source } = told
  dependencies.log.info({ messageId: of.id, workspaceId: of.workspaceId, kind, status, source }, 'An email came back')
  for (const { email, due } of done.suppressed) await afterSuppressing(dependencies, of.workspaceId, { email }, due)
  return 'recorded'
}

async function record(
  unit: EntityManager,
  of: Bounced,
  told: BounceReport,
): Promise<'erased' | 'known' | { suppressed: { email: string; due: Delivery[] }[] }> {
  // First, as whoever ends an enrollment, or erases her.
  const contact = await lockContact(unit, of.contactId)
  if (!contact) return 'erased'
  const { kind, source, sourceId, isOfOthers = false } = told
  const diagnostic = told.diagnostic === null ? null : wordsOf(told.diagnostic)
  const status = told.status === null ? null : wordsOf(told.status).slice(0, 20)
  const bounce = { id: newId(), kind, status, diagnostic, source, sourceId, isOfOthers }
  const isNew =
    (await insertBounce(unit, of, bounce)) || (kind === 'UNSUBSCRIBE' && (await renewUnsubscribing(unit, of, bounce)))
  if (!isNew) return 'known'
  const reason = await reasonOf(unit, of, kind)
  if (reason === undefined) return { suppressed: [] }
  const note = [status, diagnostic && withoutAddresses(diagnostic, of.recipient)].filter(Boolean).join(' ')
  const words = note === '' ? null : note.slice(0, 500)
  // What she wants she wants under her new address, too; a mailbox is one alone.
  const isOne = reason === 'BOUNCED' || contact.key === emailKey(of.recipient)
  const suppressed = []
  for (const email of isOne ? [of.recipient] : [of.recipient, contact.email]) {
    const { due } = await suppressAddress(unit, of.workspaceId, { email, reason, note: words })
    suppressed.push({ email, due })
  }
  return { suppressed }
}

async function reasonOf(
  unit: EntityManager,
  { contactId }: Bounced,
  kind: BounceKind,
): Promise<SuppressionReason | undefined> {
  switch (kind) {
    case 'HARD':
      return 'BOUNCED'
    case 'COMPLAINT':
      return 'COMPLAINED'
    case 'UNSUBSCRIBE':
      return 'UNSUBSCRIBED'
    case 'SOFT':
      return (await isGivenUp(unit, contactId)) ? 'BOUNCED' : undefined
    case 'BLOCKED':
      return undefined
  }
}

/** Counts the contact's soft bounces in a row, if they are enough to suppress the address. */
async function isGivenUp(unit: EntityManager, contactId: string): Promise<boolean> {
  const inARow = await countConsecutiveSoftBounces(unit, contactId, MAX_CONSECUTIVE_SOFT_BOUNCES)
  if (inARow.length < MAX_CONSECUTIVE_SOFT_BOUNCES) return false
  await unit.nativeUpdate(Bounce, { id: { $in: inARow } }, { counted: true })
  return true
}

const MAX_WORDS = 1_000

/** What a server said, as it can be kept and shown. */
const wordsOf = (said: string): string => withoutReturnPaths(forTerminal(said)).toWellFormed().slice(0, MAX_WORDS)
