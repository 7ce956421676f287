import type { MailMode } from './queries.ts'

/**
 * The state that decides whether and how the instance sends mail. All code that sends reads it: preparing and claiming messages,
 * campaigns, retries and resends.
 */
export interface SendingGate {
  /** True if messages may be claimed. The gate is closed from a restore until an operator reconciles. */
  isOpen: boolean
  /** How mail of live workspaces leaves the instance; `null` if no process has chosen yet. */
  mail: MailMode | null
  /** Messages that were due by then may have been sent without a record, because of a restore; `null` if nothing is lost. */
  lostUntil: Date | null
}

/** The reason why nothing is sent, and what to do, for operators. */
export const SENDING_DISABLED =
  'This instance was restored from a backup and sends nothing until you compare its database with Temporal: ' +
  'npm run cli -- reconcile. (reconcile --waive enables sending without the comparison.)'

/** The columns `GATE_COLUMNS`. */
export interface GateRow {
  mail: MailMode | null
  restored_at: string | null
  lost_until: string | null
}

/** @param row `undefined` if a backup has no row of the instance */
export const gateOf = (row: GateRow | undefined): SendingGate => ({
  isOpen: row?.restored_at == null,
  mail: row?.mail ?? null,
  lostUntil: row?.lost_until == null ? null : new Date(row.lost_until),
})

interface OfWorkspace {
  workspaceMode: 'live' | 'test'
}

/**
 * Returns whether mail is transmitted rather than captured. A test workspace sends no real mail, regardless of the configured
 * server.
 */
export const isDelivered = ({ workspaceMode, mail }: OfWorkspace & Pick<SendingGate, 'mail'>): boolean =>
  workspaceMode === 'live' && mail === 'smtp'

/**
 * Returns whether mail that was due at a time may have been sent without a record, because of a restore. A test workspace sends
 * none.
 */
export const mayBeLost = ({ workspaceMode, lostUntil }: OfWorkspace & Pick<SendingGate, 'lostUntil'>, due: Date) =>
  workspaceMode === 'live' && lostUntil !== null && due <= lostUntil

/**
 * Returns until when messages may be lost after a reconciliation. Losses of an earlier restore remain. @param before the recorded
 * time. A time in the future comes from a wrong clock, and would stop all mail until then. @param given when the original
 * stopped, according to the operator; `null` if nothing is lost; `undefined` if it may have run until now
 */
export function lostUntilAfter(before: Date | null, given: Date | null | undefined, now: Date): Date | null {
  if (given === undefined) return now
  const earlier = before !== null && before <= now ? before : null
  return given !== null && earlier !== null && earlier > given ? earlier : (given ?? earlier)
}
