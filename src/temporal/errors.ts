import { isGrpcServiceError } from '@temporalio/client'

/**
 * gRPC status codes (gRPC documentation, "Status codes") of temporary failures: cancelled, deadline, exhausted, aborted,
 * unavailable. Dripline cancels no calls, so a cancelled one comes from an overloaded server or proxy.
 */
const TEMPORARY = new Set([1, 4, 8, 10, 14])

/** Returns whether an error means that Temporal is temporarily unavailable, so that a later retry may succeed. */
export function isTemporalUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (isGrpcServiceError(at) && TEMPORARY.has(at.code)) return true
  }
  return false
}
