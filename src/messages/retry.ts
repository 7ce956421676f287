import { type Call, whenDurable } from '../platform/call.ts'
import { toDate, unitOf } from '../platform/db/sql.ts'
import { NOT_RECONCILED, ApiError } from '../platform/api-error.ts'
import { isId } from '../platform/ids.ts'
import type { Cursor } from '../platform/db/newest-page.ts'
import type { EntityManager } from '../platform/db/orm.ts'
import { lockContactsAgainstErasure } from '../contacts/index.ts'
import { isDelivered } from '../instance/index.ts'
import { type Dependencies, enqueueEach } from '../outbox/index.ts'
import { messagePageOf, type MessageSearch } from './list-queries.ts'
import type { MessageStatus } from './message.ts'
import type { SendSettings } from './prepared.ts'
import { findRetryCandidate, readSendSettings, retryableAmong } from './read-queries.ts'
import { DELIVERY_UNCONFIRMED, MESSAGE_NOT_FOUND, NOT_RETRYABLE, WOULD_BE_CAPTURED } from './errors.ts'
import { requestRetries } from './retry-queries.ts'
import { isRetryable, RETRYABLE, type Retryable } from './transitions.ts'

/** A message with a requested retry. */
export interface RequestedRetry {
  id: string
  status: MessageStatus
  retryAt: Date
}

/**
 * Requests a retry of a message, by the rule of its status: FAILED was certainly not delivered; the outcome of UNCONFIRMED is
 * unknown, so the caller must accept that it may arrive twice; CAPTURED is retried if it would now be delivered.
 *
 * @throws {ApiError} `not-found`; `taken` if its rule does not allow it
 */
export async function retryOne(
  dependencies: Dependencies,
  workspaceId: string,
  id: string,
  { evenIfSent }: { evenIfSent: boolean },
  call: Call,
): Promise<RequestedRetry> {
  const em = unitOf(dependencies.em)
  const found = isId(id) ? await findRetryCandidate(em, workspaceId, id) : undefined
  if (!found) throw new ApiError(MESSAGE_NOT_FOUND)
  const { status } = found
  if (found.isEmail) throw notRetryable('A transactional email is not retried. Send it again with POST /emails')
  if (!isRetryable(status)) throw notRetryable(`The message is ${status}`)
  if (!found.hasSource) throw notRetryable('The automation or campaign of the message is deleted or cancelled')
  const { lostUntil } = await assertRule(em, workspaceId, status, evenIfSent)
  // A restore lost the message's history after the backup.
  if (lostUntil && !evenIfSent && found.createdAt <= lostUntil) throw new ApiError(DELIVERY_UNCONFIRMED, LOST)
  const { asked, due } = await em.transactional(async (unit) => {
    const asked = await requestRetries(unit, [id], status, { includeUnwanted: true })
    return { asked, due: await enqueueEach(unit, 'RETRY', asked, 'interactive') }
  })
  const [retried] = asked
  if (!retried) throw notRetryable('The status of the message changed in the meantime')
  await whenDurable(dependencies, call, () => dependencies.deliverAtOnce(dependencies, due))
  return { id, status, retryAt: toDate(retried.retryAt) }
}

const LOST = {
  param: '/evenIfSent',
  message:
    'The instance was restored from a backup that is older than the outcome of this message, so it may have been sent. ' +
    'Pass "evenIfSent": true to send it anyway',
}

/** Maximum number of messages that one call retries. */
export const MAX_RETRIES = 1_000

/**
 * Requests retries of messages, newest first.
 * @returns the number, the cursor of the next ones, and the earliest time to include if older ones may have been sent
 */
export async function retryMany(
  em: EntityManager,
  workspaceId: string,
  search: MessageSearch & {
    status: Retryable
    since?: string | undefined
    until?: string | undefined
    behind?: Cursor | undefined
  },
  { evenIfSent }: { evenIfSent: boolean },
): Promise<{ asked: number; last: Cursor | undefined; onlySince: string | undefined }> {
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
    // Ending an enrollment locks its contact for update. It either waits for these retries and cancels them, or its effect is
    // visible below.
    await lockContactsAgainstErasure(
      unit,
      page.map(({ contactId }) => contactId),
    )
    const ids = await retryableAmong(
      unit,
      page.map(({ id }) => id),
    )
    const retried = await requestRetries(unit, ids, status, { includeUnwanted: false })
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

/** @returns the current send settings of the workspace */
async function assertRule(
  em: EntityManager,
  workspaceId: string,
  status: Retryable,
  evenIfSent: boolean,
): Promise<SendSettings> {
  if (status === 'UNCONFIRMED' && !evenIfSent) throw new ApiError(DELIVERY_UNCONFIRMED, { param: '/evenIfSent' })
  const settings = await readSendSettings(em, workspaceId)
  if (!settings) throw new Error('A caller without a workspace')
  // Reconciliation may make messages with a pending retry UNCONFIRMED.
  if (!settings.isOpen) throw new ApiError(NOT_RECONCILED)
  if (status !== 'FAILED' && !isDelivered(settings)) throw new ApiError(WOULD_BE_CAPTURED)
  return settings
}

/** @param why without a full stop */
const notRetryable = (why: string): ApiError =>
  new ApiError(NOT_RETRYABLE, { message: `${why}. Only ${RETRYABLE.join(', ')} messages can be retried` })
