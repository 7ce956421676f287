import type { KeyObject } from 'node:crypto'
import { setPreferences, suppressOfErased } from '../consent/index.ts'
import { openLink, openReturnPath, openUnsubscribeAddress } from '../signed-links/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type BouncedMessage, findByOrigin, findByReturnPath } from './queries.ts'
import type { Report } from './read-failure.ts'
import type { Reports, Traces } from './read-report.ts'
import { recordBounce, type RecordResult } from './record-bounce.ts'
import { isSameMailbox } from './same-mailbox.ts'

/** A mail to the domain of return paths. */
export interface ReturnedMail extends Reports {
  /** Envelope recipients: return paths, or the address for complaints. */
  recipients: readonly string[]
}

/**
 * Records the reports of a returned mail. The return path that the mail was sent to identifies the message. Complaints go to one
 * shared address, so the returned message in them identifies it.
 *
 * @param secret signs return paths and links
 * @returns one result per message; none if the mail reports nothing
 */
export async function receiveReturnedMail(
  dependencies: Dependencies,
  secret: KeyObject,
  { recipients, reports, traces }: ReturnedMail,
): Promise<RecordResult[]> {
  if (reports.length === 0) return []
  const em = dependencies.em.fork()
  const results: RecordResult[] = []
  const paths = [...new Set(recipients.map((address) => address.toLowerCase()))].flatMap(
    (address) => openReturnPath(secret, address) ?? [],
  )
  for (const of of paths) {
    const bounced = await findByReturnPath(em, of)
    const result = bounced ? await recordOne(dependencies, bounced, reports) : 'erased'
    if (result === 'erased') await suppressErased(dependencies, of.contactId, reports)
    results.push(result)
  }
  if (paths.length > 0) return results
  // Any recipient of the message can forge its traces, so they are trusted only for complaints.
  const complaints = reports.filter(({ kind }) => kind === 'COMPLAINT')
  if (complaints.length === 0) return []
  const { bounced, isByLink } = await findByTraces(em, secret, traces)
  // Links are forwarded with the message, so a link allows no more than its page does: unsubscribing.
  const accepted = isByLink ? complaints.map((report) => ({ ...report, kind: 'UNSUBSCRIBE' as const })) : complaints
  const result = bounced ? await recordOne(dependencies, bounced, accepted) : 'erased'
  if (result === 'erased') await suppressErasedByTraces(dependencies, secret, traces)
  return [result]
}

/**
 * Unsubscribes the contacts of the addresses in `List-Unsubscribe` that a mail was sent to, like a click on their link. The mail's
 * content does not matter: mail clients send an empty one.
 */
export async function unsubscribeByMail(
  dependencies: Dependencies,
  secret: KeyObject,
  recipients: readonly string[],
): Promise<void> {
  for (const address of recipients) {
    const of = openUnsubscribeAddress(secret, address)
    if (!of) continue
    const { contactId } = of
    const message = await findByReturnPath(dependencies.em.fork(), of)
    // Without its message, the request still applies to the contact.
    await setPreferences(dependencies, { contactId, originId: message?.originId ?? contactId }, { kind: 'nothing' })
  }
}

/** Applies a complaint or opt-out of an erased contact to their address, because the contact may have been created again. */
async function suppressErased(
  dependencies: Dependencies,
  contactId: string,
  reports: readonly Report[],
): Promise<void> {
  if (reports.some(({ kind }) => kind === 'COMPLAINT')) await suppressOfErased(dependencies, contactId, 'COMPLAINED')
  else if (reports.some(({ kind }) => kind === 'UNSUBSCRIBE'))
    await suppressOfErased(dependencies, contactId, 'UNSUBSCRIBED')
}

/** Like `suppressErased`, for the traces in a complaint. A link only unsubscribes. */
async function suppressErasedByTraces(
  dependencies: Dependencies,
  secret: KeyObject,
  { addresses, linkTokens }: Traces,
): Promise<void> {
  const [path] = addresses.flatMap((address) => openReturnPath(secret, address) ?? [])
  if (path) {
    await suppressOfErased(dependencies, path.contactId, 'COMPLAINED')
    return
  }
  const [link] = linkTokens.flatMap((token) => openLink(secret, 'unsubscribe', token) ?? [])
  if (link) await suppressOfErased(dependencies, link.contactId, 'UNSUBSCRIBED')
}

async function recordOne(
  dependencies: Dependencies,
  bounced: BouncedMessage,
  reports: readonly Report[],
): Promise<RecordResult> {
  const { kind, category, status, diagnostic, isOfOthers = false } = reportFor(bounced.recipient, reports)
  const source = { providerVerdict: null, source: 'smtp', sourceId: null }
  return recordBounce(dependencies, bounced, { kind, category, status, diagnostic, ...source, isOfOthers })
}

async function findByTraces(
  em: EntityManager,
  secret: KeyObject,
  { addresses, linkTokens }: Traces,
): Promise<{ bounced: BouncedMessage | undefined; isByLink: boolean }> {
  for (const address of addresses) {
    const of = openReturnPath(secret, address)
    const bounced = of && (await findByReturnPath(em, of))
    if (bounced) return { bounced, isByLink: false }
  }
  for (const token of linkTokens) {
    const link = openLink(secret, 'unsubscribe', token)
    const bounced = link && (await findByOrigin(em, link.contactId, link.originId))
    if (bounced) return { bounced, isByLink: true }
  }
  return { bounced: undefined, isByLink: false }
}

/** Most severe first. */
const SEVERITY: readonly Report['kind'][] = ['COMPLAINT', 'UNSUBSCRIBE', 'HARD', 'BLOCKED', 'SOFT']

/**
 * Picks the report that applies to a recipient. If all reports are about other addresses, the mail was forwarded: a hard bounce
 * of one member of a mailing list says nothing about the list, so it counts as soft, and not toward the limit.
 */
export function reportFor(recipient: string, reports: readonly Report[]): Report & { isOfOthers?: boolean } {
  const bySeverity = reports.toSorted((a, b) => SEVERITY.indexOf(a.kind) - SEVERITY.indexOf(b.kind))
  const own = bySeverity.find(
    (report) => report.kind === 'COMPLAINT' || report.kind === 'UNSUBSCRIBE' || isOf(recipient, report),
  )
  if (own) return own
  const named = bySeverity.find(({ recipient: reported }) => reported !== null && isNameOf(recipient, reported))
  // A local name may belong to another mailbox that the mail was forwarded to, so a hard bounce counts as soft.
  if (named) return named.kind === 'HARD' ? { ...named, kind: 'SOFT' } : named
  const [worst] = bySeverity as [Report, ...Report[]]
  return { ...worst, isOfOthers: true, ...(worst.kind === 'HARD' && { kind: 'SOFT' as const }) }
}

/** Compares a recipient with the local name that some servers report. */
const isNameOf = (recipient: string, name: string): boolean =>
  recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase() === name.toLowerCase()

const isOf = (recipient: string, { recipient: reported, mentioned }: Report): boolean =>
  reported === null ||
  (mentioned ?? [reported]).some((address) => address.includes('@') && isSameMailbox(recipient, address))
