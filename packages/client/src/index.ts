/**
 * `@dripline/client`: the API of Dripline, typed. `schema.d.ts` is made from the OpenAPI document of the service that it comes
 * with, so that both always fit.
 */
import createClient, {
  type Client,
  type ClientOptions,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import { fetchSafely } from './fetch-safely.js'
import type { components, operations, paths } from './schema.js'

export { DriplineError } from './error.js'
export type { components, operations, paths }

/** What the API knows, by name: `Schemas['Contact']`. */
export type Schemas = components['schemas']

/** One method of HTTP, for all paths that have it. It answers with `data` and `response`; everything else is thrown. */
export type Method<Name extends 'get' | 'put' | 'post' | 'patch' | 'delete'> = <
  Path extends ClientPathsWithMethod<Client<paths>, Name>,
  Init extends MaybeOptionalInit<paths[Path], Name>,
>(
  path: Path,
  ...init: undefined extends MaybeOptionalInit<paths[Path], Name> ? [init?: Init] : [init: Init]
) => Promise<{
  data: NonNullable<FetchResponse<Extract<paths[Path][Name], object>, Init, 'application/json'>['data']>
  response: Response
}>

export interface DriplineClient {
  GET: Method<'get'>
  PUT: Method<'put'>
  POST: Method<'post'>
  PATCH: Method<'patch'>
  DELETE: Method<'delete'>
}

export interface DriplineOptions extends Omit<ClientOptions, 'baseUrl' | 'fetch'> {
  /** Ends in the version, such as `https://mail.example.com/api/v1`. */
  baseUrl: string
  /**
   * `svc_live_…` or `svc_test_…`. It is for servers: never ship it to a browser. `null` is for the service's own page alone, whose
   * requests carry the cookie of whoever is signed in.
   */
  apiKey: string | null
  /** Milliseconds until an attempt at a request is given up; 30 seconds where nothing is said. */
  timeoutMs?: number
  /** How often a request is made again that may succeed later: seven times where nothing is said. */
  retries?: number
  /** Told what the service ignored, or finds odd; on the console where nothing is said. */
  onWarning?: (warning: string) => void
  /** What makes one attempt at a request; `fetch` itself where nothing is said. */
  fetch?: (request: Request) => Promise<Response>
}

/** Of whom a mistake is said at once, and not by every request. */
function assertUsable(baseUrl: unknown, apiKey: unknown): void {
  const isUrl = typeof baseUrl === 'string' && URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)
  if (!isUrl) {
    throw new TypeError(`baseUrl must be such as https://mail.example.com/api/v1, and not ${JSON.stringify(baseUrl)}`)
  }
  // What it is instead is not said: it is a secret.
  if (apiKey !== null && (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))) {
    throw new TypeError('apiKey must be such as svc_live_…, without spaces and line ends')
  }
}

/**
 * A client: `client.POST('/contacts', { body })` and so on, for every path of the API.
 *
 * What passes is waited for: a 429 and a 503 for as long as `Retry-After` says, a connection that broke and an attempt that took
 * too long with growing pauses. Every POST and PATCH carries an `Idempotency-Key`, so that none is done twice by that.
 *
 * Its methods throw a `DriplineError` for every answer but a success, and where there is none.
 *
 * @throws {TypeError} where `baseUrl` is no URL, or `apiKey` cannot be a key
 */
export function createDriplineClient({
  baseUrl,
  apiKey,
  timeoutMs = 30_000,
  retries = 7,
  onWarning = (warning) => console.warn(`dripline: ${warning}`),
  fetch = (request) => globalThis.fetch(request),
  ...options
}: DriplineOptions): DriplineClient {
  assertUsable(baseUrl, apiKey)
  return createClient<paths, 'application/json'>({
    ...options,
    baseUrl,
    async fetch(request) {
      if (apiKey !== null) request.headers.set('Authorization', `Bearer ${apiKey}`)
      return fetchSafely(request, { timeoutMs, retries, onWarning, fetch })
    },
  }) as unknown as DriplineClient
}
