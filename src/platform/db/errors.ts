/**
 * The reaction to a database error, in one table for all callers:
 * - retry: the statement lost against a concurrent one (deadlock, serialization, lock timeout) or took too long. Nothing was
 *   done, and a job should retry immediately.
 * - wait: the database is unreachable, full, read-only or starting. The same statement will work later.
 * - refuse: the value can never be written: its type or a constraint forbids it.
 * - bug: the statement itself is wrong, or the error does not come from the database.
 */
export type DatabaseErrorClass = 'retry' | 'wait' | 'refuse' | 'bug'

/** Classes by SQLSTATE; the longest match applies (Postgres documentation, appendix A). */
const CLASSES: Record<string, DatabaseErrorClass> = {
  '40': 'retry', // transaction rollback: deadlock, serialization failure
  '55P03': 'retry', // lock_not_available
  '57014': 'retry', // query_canceled: statement_timeout
  '25P03': 'retry', // idle_in_transaction_session_timeout
  '08': 'wait', // connection
  '53': 'wait', // insufficient resources: connections, memory, disk
  '57P': 'wait', // shutdown, crash, starting
  '58': 'wait', // system error: I/O
  '25006': 'wait', // read_only_sql_transaction: seen during a fail-over
  '22': 'refuse', // data exception
  '23': 'refuse', // integrity constraint violation
  '54': 'refuse', // program limit exceeded
}

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** Messages of errors of `pg` and its pool that have no code. */
const CONNECTION_TEXTS = [
  'Query read timeout',
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed',
  'not queryable',
  'Postgres connection closed',
]

/** Classifies an error by how to react to it. */
export function classifyDatabaseError(error: unknown): DatabaseErrorClass {
  for (const at of causesOf(error)) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') {
      if (CONNECTION_ERRORS.has(code)) return 'wait'
      const known = [code, code.slice(0, 3), code.slice(0, 2)].find((state) => Object.hasOwn(CLASSES, state))
      if (known !== undefined && /^[0-9A-Z]{5}$/.test(code)) return CLASSES[known]!
    }
    if (CONNECTION_TEXTS.some((text) => at.message.includes(text))) return 'wait'
    if (at instanceof AggregateError) {
      const first = at.errors.map(classifyDatabaseError).find((is) => is !== 'bug')
      if (first) return first
    }
  }
  return 'bug'
}

/** Returns whether the database is temporarily unavailable, so that a later retry may succeed. */
export const isDatabaseUnavailable = (error: unknown): boolean => classifyDatabaseError(error) === 'wait'

/** invalid_password, invalid_authorization_specification, invalid_catalog_name */
const LOGIN_ERRORS = ['28P01', '28000', '3D000']

/** Returns whether Postgres rejects the user, the password or the database name. */
export const isLoginRefused = (error: unknown): boolean =>
  causesOf(error).some((at) => LOGIN_ERRORS.includes(String((at as { code?: unknown }).code)))

/** undefined_column, undefined_table */
const UNDEFINED_OBJECT = ['42703', '42P01']

/** Returns whether a statement uses a table or column that does not exist: the database lacks migrations of this version. */
export const isSchemaOlder = (error: unknown): boolean =>
  causesOf(error).some((at) => UNDEFINED_OBJECT.includes(String((at as { code?: unknown }).code)))

/** A COMMIT without a response: the transaction may have happened or not. */
export class CommitUnconfirmed extends Error {}

/** Returns whether a COMMIT was sent and not answered. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  causesOf(error).some((at) => at instanceof CommitUnconfirmed)

/** query_canceled. */
const STATEMENT_TIMEOUT = '57014'

/**
 * A statement that reached the time limit and may have waited for locks. `lock_timeout` applies to each lock alone: a row that several
 * sessions want takes two.
 */
export class MayHaveWaited extends Error {}

export const isStatementTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === STATEMENT_TIMEOUT

/** Returns whether a statement reached the time limit although no concurrent one was in its way. */
export const isTooExpensive = (error: unknown): boolean =>
  causesOf(error).some(isStatementTimeout) && !causesOf(error).some((at) => at instanceof MayHaveWaited)

/** Returns whether a statement lost against a concurrent one and did nothing. */
export const isConflict = (error: unknown): boolean => classifyDatabaseError(error) === 'retry'

/** Returns whether a retry can help, immediately or later. */
export const isTransient = (error: unknown): boolean => isDatabaseUnavailable(error) || isConflict(error)

/** The name of the constraint that an error reports as violated, if any. */
export function violatedConstraint(error: unknown): string | undefined {
  for (const at of causesOf(error)) {
    const { code, constraint } = at as { code?: unknown; constraint?: unknown }
    if (typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string') return constraint
  }
  return undefined
}

/** An error and its chain of causes, even if the chain is circular. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) causes.push(at)
  return causes
}
