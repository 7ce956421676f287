import type { KeyObject } from 'node:crypto'
import { suppressOfErased } from '../consent/index.ts'
import { openLink, openReturnPath } from '../signed-links/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { type Bounced, findByOrigin, findByReturnPath } from './queries.ts'
import type { Report, Reports, Traces } from './read-report.ts'
import { recordBounce, type Recorded } from './record-bounce.ts'
import { isSameMailbox } from './same-mailbox.ts'

/** A mail that came to the domain of return paths. */
export interface ReturnedMail extends Reports {
  /** To whom its envelope is: return paths, or the address for complaints. */
  recipients: readonly string[]
}

/**
 * Records what a mail says that came back. Which message it is about, the address says that it came to; complaints come to one address for
 * all, and what is returned in them has it.
 *
 * @param secret what return paths and links are signed with
 * @returns what came of it, for each message that it is about; none where it says nothing of any
 */
export async function takeReturnedMail(
  dependencies: Dependencies,
  secret: KeyObject,
  { recipients, reports, traces }: ReturnedMail,
): Promise<Recorded[]> {
  if (reports.length === 0) return []
  const em = dependencies.em.fork()
  const results: Recorded[] = []
  const paths = [...new Set(recipients.map((address) => address.toLowerCase()))].flatMap(
    (address) => openReturnPath(secret, address) ?? [],
  )
  for (const of of paths) {
    const bounced = await findByReturnPath(em, of)
    const result = bounced ? await recordOne(dependencies, bounced, reports) : 'erased'
    if (result === 'erased') await heedErased(dependencies, of.contactId, reports)
    results.push(result)
  }
  if (paths.length > 0) return results
  // Whoever has a message can say what is in it: that is good for a complaint, which is hers to make.
  const complaints = reports.filter(({ kind }) => kind === 'COMPLAINT')
  if (complaints.length === 0) return []
  const { bounced, isByLink } = await findByTraces(em, secret, traces)
  // A link is passed on with what it stands in, and says no more than its page can.
  const said = isByLink ? complaints.map((report) => ({ ...report, kind: 'UNSUBSCRIBE' as const })) : complaints
  const result = bounced ? await recordOne(dependencies, bounced, said) : 'erased'
  if (result === 'erased') await heedTracesOfErased(dependencies, secret, traces)
  return [result]
}

/** That she complains of what she got before she was erased is hers to say, and of her address: somebody may have made her anew. */
async function heedErased(dependencies: Dependencies, contactId: string, reports: readonly Report[]): Promise<void> {
  if (reports.some(({ kind }) => kind === 'COMPLAINT')) await suppressOfErased(dependencies, contactId, 'COMPLAINED')
  else if (reports.some(({ kind }) => kind === 'UNSUBSCRIBE'))
    await suppressOfErased(dependencies, contactId, 'UNSUBSCRIBED')
}

/** The same by what is returned in a complaint. A link says no more there than its page can, either. */
async function heedTracesOfErased(
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

async function recordOne(dependencies: Dependencies, bounced: Bounced, reports: readonly Report[]): Promise<Recorded> {
  const { kind, status, diagnostic, isOfOthers = false } = reportFor(bounced.recipient, reports)
  return recordBounce(dependencies, bounced, { kind, status, diagnostic, source: 'smtp', sourceId: null, isOfOthers })
}

async function findByTraces(
  em: EntityManager,
  secret: KeyObject,
  { addresses, linkTokens }: Traces,
): Promise<{ bounced: Bounced | undefined; isByLink: boolean }> {
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

/** The weightiest first. */
const WEIGHT: readonly Report['kind'][] = ['COMPLAINT', 'UNSUBSCRIBE', 'HARD', 'BLOCKED', 'SOFT']

/**
 * What a report says of an address. Where it speaks of others alone, mail was passed on: that one of a list is gone does not say so of
 * whoever passes it on, so that it weighs less, and is not counted.
 */
export function reportFor(recipient: string, reports: readonly Report[]): Report & { isOfOthers?: boolean } {
  const byWeight = reports.toSorted((a, b) => WEIGHT.indexOf(a.kind) - WEIGHT.indexOf(b.kind))
  const own = byWeight.find(
    (report) => report.kind === 'COMPLAINT' || report.kind === 'UNSUBSCRIBE' || isOf(recipient, report),
  )
  if (own) return own
  const named = byWeight.find(({ recipient: told }) => told !== null && isNameOf(recipient, told))
  // Whom a server knows by her name alone may be somebody else's there, to whom she passes it on: once says little.
  if (named) return named.kind === 'HARD' ? { ...named, kind: 'SOFT' } : named
  const [worst] = byWeight as [Report, ...Report[]]
  return { ...worst, isOfOthers: true, ...(worst.kind === 'HARD' && { kind: 'SOFT' as const }) }
}

/** A server that knows her by her name alone. */
const isNameOf = (recipient: string, told: string): boolean =>
  recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase() === told.toLowerCase()

const isOf = (recipient: string, { recipient: told }: Report): boolean =>
  told === null || (told.includes('@') && isSameMailbox(recipient, told))
