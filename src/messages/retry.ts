import { type Call, whenDurable } from '../platform/call.ts'
import { unitOf } from '../platform/db/sql.ts'
import { NOT_RECONCILED, Refusal } from '../platform/refusal.ts'
import { isId } from '../platform/ids.ts'
import type { Place } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { readLostUntil } from '../instance/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import type { MessageSearch } from './list-queries.ts'
import type { MessageStatus } from './message.ts'
import { MAY_ARRIVE_TWICE, MESSAGE_NOT_FOUND, NOT_RETRYABLE, WOULD_BE_CAPTURED } from './refusals.ts'
import { askForRetries, askForRetry, findRetryCandidate, mailOf, RETRYABLE, type Retryable } from './retry-queries.ts'
import { isDelivered } from './sending.ts'

/** A message that is to be tried again. */
export interface Asked {
  id: string
  status: MessageStatus
  retryAt: Date
}

/**
 * Has a message tried again, each by its own rule: what FAILED has certainly not been delivered; of what is UNCONFIRMED nobody
 * knows, so that whoever asks says that it may arrive twice; and what was CAPTURED is tried where it would be delivered by now.
 *
 * @throws {Refusal} `not-found`; `taken` where its rule does not let it
 */
export async function retryOne(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  { evenIfSent }: { evenIfSent: boolean },
  call: Call,
): Promise<Asked> {
  const em = unitOf(dependencies.em)
  const found = isId(id) ? await findRetryCandidate(em, workspaceId, id) : undefined
  if (!found) throw new Refusal(MESSAGE_NOT_FOUND)
  const { status } = found
  if (!isRetryable(status)) throw notRetryable(`The message is ${status}`)
  if (!found.hasSource)
    throw notRetryable('The automation or campaign that the message was of is deleted, or cancelled')
  await assertRule(em, workspaceId, status, evenIfSent)
  const lostUntil = await readLostUntil(em)
  // What came of it behind the backup is in no ledger.
  if (lostUntil && !evenIfSent && found.createdAt <= lostUntil) throw new Refusal(MAY_ARRIVE_TWICE, LOST)
  const asked = await askForRetry(em, id, status)
  if (!asked) throw notRetryable('The message has become another one meanwhile')
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, asked.due))
  return { id, status, retryAt: asked.retryAt }
}

const LOST = {
  param: '/evenIfSent',
  message:
    'This installation was restored, and the message is older than that: it may have been tried again, and sent, since the backup. ' +
    'Say "evenIfSent": true to have it sent all the same',
}

/** How many messages one call has tried again at most. */
export const MOST_RETRIES = 1_000

/**
 * So many of those that are looked for, newest first.
 * @returns how many, and where the next ones begin; and since when they are looked for, where others may have been sent already
 */
export async function retryMany(
  em: EntityManager,
  workspaceId: string,
  search: MessageSearch & {
    status: Retryable
    since?: string | undefined
    until?: string | undefined
    behind?: Place | undefined
  },
  { evenIfSent }: { evenIfSent: boolean },
): Promise<{ asked: number; last: Place | undefined; onlySince: string | undefined }> {
  const { status, since, until, behind, only, ...of } = search
  await assertRule(em, workspaceId, status, evenIfSent)
  if (Object.values(of).some((id) => id !== undefined && !isId(id)))
    return { asked: 0, last: undefined, onlySince: undefined }
  const lostUntil = evenIfSent ? null : await readLostUntil(em)
  const from = [since, lostUntil?.toISOString()].flatMap((time) => time ?? [])
  const latest = from.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1)
  const range = { status, since: latest, until, behind, limit: MOST_RETRIES }
  const { asked, looked, last } = await em.transactional((unit) =>
    askForRetries(unit, workspaceId, { ...of, only }, range),
  )
  const isCut = lostUntil !== null && latest === lostUntil.toISOString()
  return { asked, last: looked === MOST_RETRIES ? last : undefined, onlySince: isCut ? latest : undefined }
}

async function assertRule(
  em: EntityManager,
  workspaceId: string,
  status: Retryable,
  evenIfSent: boolean,
): Promise<void> {
  if (status === 'UNCONFIRMED' && !evenIfSent) throw new Refusal(MAY_ARRIVE_TWICE, { param: '/evenIfSent' })
  const mail = await mailOf(em, workspaceId)
  // What is promised now would be taken back, where it may have been sent since the backup.
  if (mail.isHeld) throw new Refusal(NOT_RECONCILED)
  if (status !== 'FAILED' && !isDelivered(mail)) throw new Refusal(WOULD_BE_CAPTURED)
}

const isRetryable = (status: MessageStatus): status is Retryable => (RETRYABLE as readonly string[]).includes(status)

const notRetryable = (why: string): Refusal =>
  new Refusal(NOT_RETRYABLE, { message: `${why}: only what is ${RETRYABLE.join(', ')} is tried again` })
