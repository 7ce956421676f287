import type { EntityManager } from '../platform/db/orm.ts'
import { sql } from '../platform/db/sql.ts'

/** Live workspaces, whose clock never moves. The mode of a workspace does not change. */
const live = new Set<string>()

/** Returns how far the clock of a workspace is ahead, in milliseconds: 0 except in a test workspace. */
export async function readClockAhead(em: EntityManager, workspaceId: string): Promise<number> {
  if (live.has(workspaceId)) return 0
  const [row] = await sql<{ mode: string; clock_ahead_minutes: number }>(
    em,
    'select mode, clock_ahead_minutes from workspaces where id = $1::uuid',
    [workspaceId],
  )
  if (row?.mode === 'live') live.add(workspaceId)
  return (row?.clock_ahead_minutes ?? 0) * 60_000
}

/** Returns the time of a workspace, which may be in the future in a test workspace. */
export const timeIn = async (em: EntityManager, workspaceId: string): Promise<Date> =>
  new Date(Date.now() + (await readClockAhead(em, workspaceId)))

/**
 * Moves the clock of a test workspace forward.
 *
 * @returns how far it is ahead, in minutes; `undefined` if that would be more than the maximum
 */
export async function advanceClock(
  em: EntityManager,
  workspaceId: string,
  { minutes, maximum }: { minutes: number; maximum: number },
): Promise<number | undefined> {
  const [row] = await sql<{ clock_ahead_minutes: number }>(
    em,
    `update workspaces set clock_ahead_minutes = clock_ahead_minutes + $2::integer
     where id = $1::uuid and clock_ahead_minutes + $2::integer <= $3::integer returning clock_ahead_minutes`,
    [workspaceId, minutes, maximum],
  )
  return row?.clock_ahead_minutes
}
