import type { EntityManager } from '../platform/db/orm.ts'
import type { Dependencies } from '../outbox/dependencies.ts'
import { unitOf } from '../platform/db/sql.ts'
import { readBulkLoad, type Happenings } from './queries.ts'
import { Refusal, unavailable } from '../platform/refusal.ts'

/** How many enrollments one bulk call may start. */
const MAX_STARTS = 20_000
/** With how many starts on their way a workspace is asked to wait: each is a row until Temporal has it. */
const MAX_WAITING = 50_000

/**
 * Bounds what one call writes, and what one workspace has written: contacts times automations are many.
 * @throws {Refusal} `invalid` for a call that would start too much, `unavailable` where too much is on its way already.
 */
export async function assertBearable(
  em: EntityManager,
  workspaceId: string,
  contacts: number,
  happenings: Happenings,
): Promise<void> {
  const { listening, waiting } = await readBulkLoad(em, workspaceId, happenings, MAX_WAITING)
  const atATime = Math.floor(MAX_STARTS / Math.max(1, listening))
  if (contacts > atATime)
    throw new Refusal(
      'invalid',
      `${listening} automations listen for what ${contacts} contacts would do here; at most ${atATime} can come at a time`,
    )
  if (waiting >= MAX_WAITING) throw tooManyWait()
}

const tooManyWait = () =>
  unavailable('Too many enrollments of this workspace wait to be started; please try again later')

/** The same for a single call: one can start as many enrollments as there are automations. @throws {Refusal} `unavailable` */
export async function assertNotCrowded(
  { em, crowded }: Pick<Dependencies, 'em' | 'crowded'>,
  workspaceId: string,
): Promise<void> {
  if (!crowded.has(workspaceId)) return
  const nothing = { signUp: false, lists: [], tags: [] }
  const { waiting } = await readBulkLoad(unitOf(em), workspaceId, nothing, MAX_WAITING)
  if (waiting >= MAX_WAITING) throw tooManyWait()
}
