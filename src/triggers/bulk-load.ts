import type { EntityManager } from '../platform/db/orm.ts'
import type { Dependencies } from '../outbox/index.ts'
import { unitOf } from '../platform/db/sql.ts'
import { countListening, countListeningByKey, countWaiting, type BulkOccurrences } from './queries.ts'
import { ApiError, BUSY, defineError } from '../platform/api-error.ts'

/** Maximum number of enrollments that one bulk call may start. */
const MAX_STARTS = 20_000
/** Number of pending starts at which a workspace must wait. Each is a row until Temporal has it. */
const MAX_WAITING = 50_000

const tooManyStartsMessage = (automations: number, contacts: number, atATime: number): string =>
  `${automations} automations would start for ${contacts} contacts. Send at most ${atATime} contacts at a time`

export const TOO_MANY_STARTS = defineError('invalid', 'too_many_starts', tooManyStartsMessage(201, 100, 99))

/**
 * Limits the starts that one call writes, and those of one workspace that are pending, because contacts multiply with
 * automations.
 * @throws {ApiError} `invalid` if a call would start too many, `unavailable` if too many are pending
 */
export async function assertMaxStarts(
  em: EntityManager,
  workspaceId: string,
  contacts: number,
  happenings: BulkOccurrences,
): Promise<void> {
  const listening = await countListening(em, workspaceId, happenings)
  const atATime = Math.floor(MAX_STARTS / Math.max(1, listening))
  if (contacts > atATime)
    throw new ApiError(TOO_MANY_STARTS, { message: tooManyStartsMessage(listening, contacts, atATime) })
  await assertFewWait(em, workspaceId)
}

/**
 * Like `assertBearable`, for custom events.
 *
 * @param keys the names of the events in the form for which automations listen
 */
export async function assertEventsBearable(
  em: EntityManager,
  workspaceId: string,
  keys: readonly string[],
): Promise<void> {
  const listening = await countListeningByKey(em, workspaceId, [...new Set(keys)])
  const starts = keys.reduce((sum, key) => sum + (listening.get(key) ?? 0), 0)
  if (starts > MAX_STARTS) throw new ApiError(TOO_MANY_STARTS, { message: tooManyStartsOfEvents(starts, keys.length) })
  if (starts > 0) await assertFewWait(em, workspaceId)
}

const tooManyStartsOfEvents = (starts: number, events: number): string =>
  `The ${events} events would start ${starts} enrollments. Send fewer events at a time, for at most ${MAX_STARTS} enrollments`

/** Returns whether so many starts of a workspace are pending that no further ones may be written. */
export const areTooManyWaiting = async (em: EntityManager, workspaceId: string): Promise<boolean> =>
  (await countWaiting(em, workspaceId, MAX_WAITING)) >= MAX_WAITING

async function assertFewWait(em: EntityManager, workspaceId: string): Promise<void> {
  if (await areTooManyWaiting(em, workspaceId))
    throw new ApiError(BUSY, {
      message: 'Too many enrollments of this workspace are waiting to start. Please try again later',
    })
}

/**
 * Like `assertMaxStarts`, for a single contact, which can start as many enrollments as there are automations. @throws {ApiError}
 * `unavailable`
 */
export async function assertQueueNotFull(
  { em, crowded }: Pick<Dependencies, 'em' | 'crowded'>,
  workspaceId: string,
): Promise<void> {
  if (crowded.has(workspaceId)) await assertFewWait(unitOf(em), workspaceId)
}
