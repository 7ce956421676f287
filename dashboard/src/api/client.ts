import { syncClock } from '../lib/clock.ts'
import { createDriplineClient, DriplineError, type DriplineClient, type Schemas } from '@dripline/client'

export { DriplineError, type Schemas }
export type Api = DriplineClient

const TIMEOUT_MS = 30_000

/**
 * The API for a page of the service itself: the browser brings the cookie. What failed is said, and tried again by whoever looks at
 * it, so that the client repeats nothing by itself.
 *
 * @param workspaceId which of the workspaces; none for what is of the account
 */
export const createApi = (workspaceId?: string): Api =>
  createDriplineClient({
    baseUrl: `${location.origin}/api/v1`,
    apiKey: null,
    retries: 0,
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

/** Whether the service has refused something for one of these reasons. */
export const hasErrorCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof DriplineError && error.code !== undefined && codes.includes(error.code)

/** Whether nobody is signed in any more: the session has ended, or the browser has no cookie. */
export const isSignedOut = (error: unknown): boolean => hasErrorCode(error, 'signed_out', 'key_missing')

/** Whether asking again later may help: the service was not there, or said so. */
export const isTransient = (error: unknown): boolean =>
  error instanceof DriplineError && (error.status === undefined || error.status >= 500 || error.status === 429)

/** Whether it may have been done: the answer was lost. */
export const isOutcomeUnknown = (error: unknown) =>
  error instanceof DriplineError && (error.status === undefined || error.status >= 500)

/** What this page itself has to say of what it does not do. */
export class DisplayableError extends Error {}

/** What went wrong, in words. */
export function errorMessage(error: unknown): string {
  if (error instanceof DisplayableError) return error.message
  if (!(error instanceof DriplineError)) return 'Something went wrong in this page. Load it again.'
  if (error.status === undefined) return 'The service does not answer.'
  return error.message
}
