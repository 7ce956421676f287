import { ERROR_SENTENCES } from '../lib/error-words.ts'
import { syncClock } from '../lib/clock.ts'
import { createDriplineCore, DriplineError, type DriplineCore, type Schemas } from '@dripline/client'

export { DriplineError, type Schemas }
export type Api = DriplineCore

const TIMEOUT_MS = 30_000

/**
 * Creates an API client that uses the session cookie.
 *
 * @param workspaceId the workspace of the requests; omitted for account requests
 * @param retries usually none: pages show the error, and queries retry on their own
 */
export const createApi = (workspaceId?: string, retries = 0): Api =>
  createDriplineCore({
    baseUrl: `${location.origin}/api/v1`,
    apiKey: null,
    retries,
    timeoutMs: TIMEOUT_MS,
    onWarning: () => undefined,
    async fetch(request) {
      const response = await fetch(request)
      syncClock(response)
      return response
    },
    ...(workspaceId === undefined ? {} : { headers: { 'X-Workspace-Id': workspaceId } }),
  })

export const accountApi = createApi()

/** Checks whether the API rejected a request with one of these error codes. */
export const hasErrorCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof DriplineError && error.code !== undefined && codes.includes(error.code)

/** Checks whether the session has ended or the browser has no cookie. */
export const isSignedOut = (error: unknown): boolean => hasErrorCode(error, 'signed_out', 'key_missing')

/** Checks whether a retry may succeed: the server was unreachable, overloaded or failing. */
export const isTransient = (error: unknown): boolean =>
  error instanceof DriplineError && (error.status === undefined || error.status >= 500 || error.status === 429)

/** Checks whether the request may have taken effect although no success was received. */
export const isOutcomeUnknown = (error: unknown) =>
  error instanceof DriplineError && (error.status === undefined || error.status >= 500)

/** An error of the dashboard itself, with a message to show as it is. */
export class DisplayableError extends Error {}

export function errorMessage(error: unknown): string {
  if (error instanceof DisplayableError) return error.message
  if (!(error instanceof DriplineError)) return 'Something went wrong. Reload the page.'
  if (error.status === undefined) return 'Can’t reach the server.'
  return ERROR_SENTENCES[error.code] ?? error.message
}
