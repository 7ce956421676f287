import { isGrpcServiceError } from '@temporalio/client'

/**
 * gRPC status codes (gRPC documentation, "Status codes") that say "not now": cancelled, deadline, exhausted, aborted, unavailable.
 * We cancel no call: who does is a server or a proxy that has too much to do.
 */
const NOT_NOW = new Set([1, 4, 8, 10, 14])

/** Whether an error says that Temporal can't be reached or can't work now, so that trying again later is right. */
export function isTemporalUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (isGrpcServiceError(at) && NOT_NOW.has(at.code)) return true
  }
  return false
}
