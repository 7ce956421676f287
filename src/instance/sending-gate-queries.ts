import type { EntityManager } from '../platform/db/orm.ts'
import { preparedSql, sql, toDate } from '../platform/db/sql.ts'
import { invalid } from '../platform/api-error.ts'
import { gateOf, type GateRow, lostUntilAfter, type SendingGate } from './sending-gate.ts'

/** The columns of `instance` that `gateOf` reads. */
export const GATE_COLUMNS = 'instance.mail, instance.restored_at, instance.lost_until'

export async function readSendingGate(em: EntityManager): Promise<SendingGate> {
  const [row] = await preparedSql<GateRow>(em, 'read-sending-gate', `select ${GATE_COLUMNS} from instance`, [])
  return gateOf(row)
}

const dateOf = (text: string | null): Date | null => (text === null ? null : toDate(text))

/**
 * Closes the gate: the database was restored from a backup, or is a copy. @param newest the time of the newest data in the
 * database, if known
 */
export async function closeGate(em: EntityManager, newest: Date | null): Promise<void> {
  // A manipulated backup may have no row.
  await sql(em, 'insert into instance default values on conflict do nothing')
  await sql(
    em,
    // A copy may use another namespace. The task queue stays, because the restored workflows are in it. After a second restore,
    // the newest rows may be from the time between the two.
    `update instance set restored_at = now(), temporal_namespace = null, temporal_namespace_id = null,
       backed_up_at = case when restored_at is null then least(now(), $1::timestamptz) else backed_up_at end`,
    [newest?.toISOString() ?? null],
  )
}

/** Opens the gate. @returns whether it was closed. @see lostUntilAfter */
export async function openGate(em: EntityManager, given: Date | null | undefined): Promise<boolean> {
  const [row] = await sql<{ lost_until: string | null; now: string }>(
    em,
    'select lost_until, now() as now from instance where restored_at is not null for update',
  )
  if (!row) return false
  const lostUntil = lostUntilAfter(dateOf(row.lost_until), given, toDate(row.now))
  await sql(em, 'update instance set restored_at = null, lost_until = $1::timestamptz', [
    lostUntil?.toISOString() ?? null,
  ])
  return true
}

/** @throws {ApiError} `invalid` if the backup has newer data: with `given`, lost messages would be sent again */
export async function assertLostUntil(em: EntityManager, given: Date | null | undefined): Promise<void> {
  if (!given) return
  const [row] = await sql<{ backed_up_at: string | null }>(em, 'select backed_up_at from instance')
  const backedUpAt = dateOf(row?.backed_up_at ?? null)
  if (!backedUpAt || given >= backedUpAt) return
  throw invalid(
    `The backup has data from ${backedUpAt.toISOString()}, so the original ran at least until then, not only until ` +
      `${given.toISOString()}. If nothing was lost, pass --nothing-lost.`,
  )
}
