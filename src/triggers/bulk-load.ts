import type { EntityManager } from '../platform/db/orm.ts'
import type { Dependencies } from '../outbox/index.ts'
import { unitOf } from '../platform/db/sql.ts'
import { countListening, countWaiting, type Happenings } from './queries.ts'
import { ApiError, BUSY, defineError } from '../platform/api-error.ts'

/** How many enrollments one bulk call may start. */
const MAX_STARTS = 20_000
/** With how many starts on their way a workspace is asked to wait: each is a row until Temporal has it. */
const MAX_WAITING = 50_000

const inWords = (automations: number, contacts: number, atATime: number): string =>
  `${automations} automations listen for what ${contacts} contacts would do here; at most ${atATime} can come at a time`

export const TOO_MANY_STARTS = defineError('invalid', 'too_many_starts', inWords(201, 100, 99))

/**
 * Bounds what one call writes, and what one workspace has written: contacts times automations are many.
 * @throws {ApiError} `invalid` for a call that would start too much, `unavailable` where too much is on its way already.
 */
export async function assertBearable(
  em: EntityManager,
  workspaceId: string,
  contacts: number,
  happenings: Happenings,
): Promise<void> {
  const listening = await countListening(em, workspaceId, happenings)
  const atATime = Math.floor(MAX_STARTS / Math.max(1, listening))
  if (contacts > atATime) throw new ApiError(TOO_MANY_STARTS, { message: inWords(listening, contacts, atATime) })
  await assertFewWait(em, workspaceId)
}

async function assertFewWait(em: EntityManager, workspaceId: string): Promise<void> {
  if ((await countWaiting(em, workspaceId, MAX_WAITING)) >= MAX_WAITING)
    throw new ApiError(BUSY, {
      message: 'Too many enrollments of this workspace wait to be started; please try again later',
    })
}

/** The same for a single call: one can start as many enrollments as there are automations. @throws {ApiError} `unavailable` */
export async function assertNotCrowded(
  { em, crowded }: Pick<Dependencies, 'em' | 'crowded'>,
  workspaceId: string,
): Promise<void> {
  if (crowded.has(workspaceId)) await assertFewWait(unitOf(em), workspaceId)
}
