import { isAddressId, type SuppressionReason } from '../contacts/index.ts'
import { afterSuppressing, lockContact, suppressAddress } from '../consent/index.ts'
import { type MessageResult, recordResult, recordUnsubscribe } from '../messages/index.ts'
import { withoutReturnPaths } from '../signed-links/index.ts'
import type { Delivery, Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { emailKey, withoutAddresses } from '../platform/email-address.ts'
import { newId } from '../platform/ids.ts'
import { forTerminal } from '../platform/terminal.ts'
import { recordWebhookFacts } from '../webhooks/index.ts'
import { Bounce } from './entities.ts'
import { type BouncedMessage, insertBounce, renewOptOut, findConsecutiveSoftBounces } from './queries.ts'
import type { BounceCategory, BounceKind } from './categories.ts'

/** Source of a bounce that is a rejection while Dripline sends. */
export const REJECTION = 'rejection'

/** A bounce as its source reports it. */
export interface BounceReport {
  kind: BounceKind
  /** `null` for complaints and unsubscribes. */
  category: BounceCategory | null
  status: string | null
  diagnostic: string | null
  /** The provider's own classification. */
  providerVerdict: string | null
  /** `smtp` for returned mail, `rejection`, or the name of a provider. */
  source: string
  /** The source's ID of the event, to deduplicate it. */
  sourceId: string | null
  /** Whether the report is only about addresses that the mail was forwarded to. */
  isOfOthers?: boolean
}

/**
 * Result of recording a bounce:
 * - recorded: it is new
 * - known: it was recorded before
 * - unknown: it belongs to no message of the workspace
 * - erased: the message does not exist, or its contact was just erased. A complaint or opt-out still applies to the address.
 * - later: the message is in flight, so its outcome is not known yet
 */
export type RecordResult = 'recorded' | 'known' | 'unknown' | 'erased' | 'later'

/** Number of consecutive soft bounces of a full or inactive mailbox after which its address is suppressed. */
const MAX_CONSECUTIVE_SOFT_BOUNCES = 5
/** The messages of these soft bounces were sent over at least this time. A mailbox may be full for a weekend. */
const MIN_SOFT_BOUNCE_DAYS = 3

/**
 * Records a bounce and, if required, suppresses the address, in one transaction. Suppresses the address that the message was sent
 * to, regardless of the recipient in the report. Idempotent.
 */
export async function recordBounce(
  dependencies: Dependencies,
  of: BouncedMessage,
  report: BounceReport,
): Promise<RecordResult> {
  if (of.isUnderWay) return 'later'
  const done = await dependencies.em.fork().transactional((unit) => record(unit, of, report))
  if (done === 'erased' || done === 'known') return done
  const { kind, status, source } = report
  dependencies.log.info({ messageId: of.id, workspaceId: of.workspaceId, kind, status, source }, 'Recorded a bounce')
  for (const { email, due } of done.suppressed) await afterSuppressing(dependencies, of.workspaceId, { email }, due)
  return 'recorded'
}

async function record(
  unit: EntityManager,
  of: BouncedMessage,
  report: BounceReport,
): Promise<'erased' | 'known' | { suppressed: { email: string; due: Delivery[] }[] }> {
  // Lock order: the contact first, as when an enrollment ends or the contact is erased.
  const contact = await lockContact(unit, of.contactId)
  if (!contact && !isAddressId(of.contactId)) return 'erased'
  const { kind, category, source, sourceId, isOfOthers = false } = report
  const diagnostic = report.diagnostic === null ? null : sanitize(report.diagnostic)
  const status = report.status === null ? null : sanitize(report.status).slice(0, 20)
  const providerVerdict = report.providerVerdict === null ? null : sanitize(report.providerVerdict).slice(0, 100)
  const bounce = { id: newId(), kind, category, status, diagnostic, providerVerdict, source, sourceId, isOfOthers }
  const isInserted = await insertBounce(unit, of, bounce)
  if (isInserted && kind !== 'UNSUBSCRIBE')
    await recordWebhookFacts(unit, [
      {
        type: kind === 'COMPLAINT' ? 'message.complained' : 'message.bounced',
        workspaceId: of.workspaceId,
        messageId: of.id,
        reason: diagnostic,
        bounce: kind,
        category,
      },
    ])
  const isNew = isInserted || (kind === 'UNSUBSCRIBE' && (await renewOptOut(unit, of, bounce)))
  if (!isNew) return 'known'
  const suppressed = await suppressFor(unit, of, { kind, status, diagnostic }, contact)
  // After the contact's enrollments, which are locked before messages.
  const result = resultOf(kind, source)
  if (kind === 'UNSUBSCRIBE') await recordUnsubscribe(unit, of.id)
  else if (result) await recordResult(unit, of.id, result)
  return { suppressed }
}

/** Returns the result that a bounce counts as in reports. A full mailbox that the mail server rejects only counts as failed. */
function resultOf(kind: BounceKind, source: string): MessageResult | undefined {
  const isRejection = source === REJECTION
  switch (kind) {
    case 'HARD':
      return isRejection ? 'REJECTED' : 'HARD_BOUNCED'
    case 'SOFT':
      return isRejection ? undefined : 'SOFT_BOUNCED'
    case 'BLOCKED':
      return 'BLOCKED'
    case 'COMPLAINT':
      return 'COMPLAINED'
    case 'UNSUBSCRIBE':
      return undefined
  }
}

/** Suppresses the address of a bounced message, if the bounce requires it. @returns the suppressed addresses */
async function suppressFor(
  unit: EntityManager,
  of: BouncedMessage,
  { kind, status, diagnostic }: Pick<BounceReport, 'kind' | 'status' | 'diagnostic'>,
  contact: Awaited<ReturnType<typeof lockContact>>,
): Promise<{ email: string; due: Delivery[] }[]> {
  const reason = await reasonOf(unit, of, kind)
  if (reason === undefined) return []
  const fullNote = [status, diagnostic && withoutAddresses(diagnostic, of.recipient)].filter(Boolean).join(' ')
  const note = fullNote === '' ? null : fullNote.slice(0, 500)
  // An opt-out or complaint also applies to the contact's new address. A bounce applies to one mailbox only.
  const isOne = reason === 'BOUNCED' || !contact || contact.key === emailKey(of.recipient)
  const suppressed = []
  for (const email of isOne ? [of.recipient] : [of.recipient, contact.email]) {
    const { due } = await suppressAddress(unit, of.workspaceId, { email, reason, note })
    suppressed.push({ email, due })
  }
  return suppressed
}

async function reasonOf(
  unit: EntityManager,
  { contactId }: BouncedMessage,
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

/** Checks for enough consecutive soft bounces, over enough days. Marks them, so that they count once. */
async function isGivenUp(unit: EntityManager, contactId: string): Promise<boolean> {
  const series = await findConsecutiveSoftBounces(unit, contactId)
  const days = ((series.at(-1)?.sentAt.getTime() ?? 0) - (series[0]?.sentAt.getTime() ?? 0)) / DAY_MS
  if (series.length < MAX_CONSECUTIVE_SOFT_BOUNCES || days < MIN_SOFT_BOUNCE_DAYS) return false
  await unit.nativeUpdate(Bounce, { id: { $in: series.map(({ id }) => id) } }, { counted: true })
  return true
}

const DAY_MS = 24 * 3_600_000
const MAX_LENGTH = 1_000

/** Sanitizes and truncates a server's text for storage and display. */
const sanitize = (text: string): string => withoutReturnPaths(forTerminal(text)).toWellFormed().slice(0, MAX_LENGTH)
