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

/** Of `pg` and its pool, which give these no code. */
const CONNECTION_TEXTS = [
  'Query read timeout',
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  'Client was closed',
  'not queryable',
]

/** SQLSTATE classes (Postgres documentation, appendix A): 08 connection, 53 resources, 57P shutdown and start-up. */
const isUnavailableState = (code: string): boolean => /^(08|53|57P)/.test(code)

/** Whether an error says that the database can't be reached or can't work now, so that trying again later is right. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (const at of causesOf(error)) {
    const code = (at as { code?: unknown }).code
    if (typeof code === 'string' && (CONNECTION_ERRORS.has(code) || isUnavailableState(code))) return true
    const { message } = at
    if (CONNECTION_TEXTS.some((text) => message.includes(text))) return true
    if (at instanceof AggregateError && at.errors.some(isDatabaseUnavailable)) return true
  }
  return false
}

/** Whether Postgres ended a transaction because of another one: a deadlock or a serialization failure. */
export function isConflict(error: unknown): boolean {
  return causesOf(error).some((at) => ['40P01', '40001'].includes((at as { code?: unknown }).code as string))
}

/** An error and what caused it, as far as that is told; a circle of causes ends. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) causes.push(at)
  return causes
}
