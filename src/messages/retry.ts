import { type Call, whenDurable } from '../platform/call.ts'
import { toDate, unitOf } from '../platform/db/sql.ts'
import { NOT_RECONCILED, ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import type { Place } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { keepContacts } from '../contacts/index.ts'
import { isDelivered } from '../instance/index.ts'
import { type Dependencies, enqueueEach } from '../outbox/index.ts'
import { messagePageOf, type MessageSearch } from './list-queries.ts'
import type { MessageStatus } from './message.ts'
import type { SendSettings } from './prepared.ts'
import { findRetryCandidate, readSendSettings, retryableAmong } from './read-queries.ts'
import { DELIVERY_UNCONFIRMED, MESSAGE_NOT_FOUND, NOT_RETRYABLE, WOULD_BE_CAPTURED } from './errors.ts'
import { askForRetries } from './store-queries.ts'
import { isRetryable, RETRYABLE, type Retryable } from './transitions.ts'

/** A message that is to be retried. */
export interface Asked {
  id: string
  status: MessageStatus
  retryAt: Date
}

/**
 * Has a message retried, each status by its own rule: FAILED was certainly not delivered; nobody knows of UNCONFIRMED, so that
 * the caller accepts that it may arrive twice; CAPTURED is retried where it would be delivered by now.
 *
 * @throws {ApiError} `not-found`; `taken` where its rule does not allow it
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
  if (!found) throw new ApiError(MESSAGE_NOT_FOUND)
  const { status } = found
  if (!isRetryable(status)) throw notRetryable(`The message is ${status}`)
  if (!found.hasSource)
    throw notRetryable('The automation or campaign that the message was of is deleted, or cancelled')
  const { lostUntil } = await assertRule(em, workspaceId, status, evenIfSent)
  // A restore lost what came of it after the backup.
  if (lostUntil && !evenIfSent && found.createdAt <= lostUntil) throw new ApiError(DELIVERY_UNCONFIRMED, LOST)
  const { asked, due } = await em.transactional(async (unit) => {
    const asked = await askForRetries(unit, [id], status, { includeUnwanted: true })
    return { asked, due: await enqueueEach(unit, 'RETRY', asked, 'interactive') }
  })
  const [retried] = asked
  if (!retried) throw notRetryable('The message has become another one meanwhile')
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, due))
  return { id, status, retryAt: toDate(retried.retryAt) }
}

const LOST = {
  param: '/evenIfSent',
  message:
    'This instance was restored, and the message is older than that: it may have been tried again, and sent, since the backup. ' +
    'Say "evenIfSent": true to have it sent all the same',
}

/** Messages that one call has retried, at most. */
export const MAX_RETRIES = 1_000

/**
 * Has messages retried, newest first.
 * @returns how many, and where the next ones begin; and since when they are looked for, where older ones may have been sent
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
  const gate = await assertRule(em, workspaceId, status, evenIfSent)
  if (Object.values(of).some((id) => id !== undefined && !isId(id)))
    return { asked: 0, last: undefined, onlySince: undefined }
  const lostUntil = evenIfSent ? null : gate.lostUntil
  const from = [since, lostUntil?.toISOString()].flatMap((time) => time ?? [])
  const latest = from.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1)
  const range = { statuses: [status], since: latest, until, behind, limit: MAX_RETRIES }
  const { asked, page } = await em.transactional(async (unit) => {
    const page = await messagePageOf(unit, workspaceId, { ...of, only }, range)
    // Ending an enrollment locks its contact for update: it waits for these retries and drops them, or it is seen below.
    await keepContacts(
      unit,
      page.map(({ contactId }) => contactId),
    )
    const ids = await retryableAmong(
      unit,
      page.map(({ id }) => id),
    )
    const retried = await askForRetries(unit, ids, status, { includeUnwanted: false })
    await enqueueEach(unit, 'RETRY', retried, 'bulk')
    return { asked: retried.length, page }
  })
  const isCut = lostUntil !== null && latest === lostUntil.toISOString()
  return {
    asked,
    last: page.length === MAX_RETRIES ? page.at(-1)?.place : undefined,
    onlySince: isCut ? latest : undefined,
  }
}

/** @returns how the workspace's mail is sent */
async function assertRule(
  em: EntityManager,
  workspaceId: string,
  status: Retryable,
  evenIfSent: boolean,
): Promise<SendSettings> {
  if (status === 'UNCONFIRMED' && !evenIfSent) throw new ApiError(DELIVERY_UNCONFIRMED, { param: '/evenIfSent' })
  const settings = await readSendSettings(em, workspaceId)
  if (!settings) throw new Error('A caller without a workspace')
  // Reconciling may make messages UNCONFIRMED that were to be retried.
  if (!settings.isOpen) throw new ApiError(NOT_RECONCILED)
  if (status !== 'FAILED' && !isDelivered(settings)) throw new ApiError(WOULD_BE_CAPTURED)
  return settings
}

const notRetryable = (why: string): ApiError =>
  new ApiError(NOT_RETRYABLE, { message: `${why}: only what is ${RETRYABLE.join(', ')} is tried again` })
