import createClient, {
  type Client,
  type ClientOptions,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import { fetchSafely } from './fetch-safely.js'
import type { paths } from './schema.js'

/** One HTTP method for all paths that have it. It returns `data` and `response`, and throws for every error. */
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

/** `GET` and so on call every path of the API, and return the response with its headers. */
export interface DriplineCore {
  GET: Method<'get'>
  PUT: Method<'put'>
  POST: Method<'post'>
  PATCH: Method<'patch'>
  DELETE: Method<'delete'>
}

export interface DriplineOptions extends Omit<ClientOptions, 'baseUrl' | 'fetch'> {
  /** Base URL, which ends in the version, such as `https://mail.example.com/api/v1`. */
  baseUrl: string
  /**
   * `svc_live_…` or `svc_test_…`. Keys are for servers: never ship one to a browser. `null` is only for Dripline's own dashboard,
   * whose requests have a session cookie.
   */
  apiKey: string | null
  /** Timeout of an attempt in milliseconds. Default: 30 seconds. */
  timeoutMs?: number
  /** Maximum number of retries of a request that may succeed later. Default: seven. */
  retries?: number
  /** Called with warnings of the service, for example about unknown template variables. Default: logs to the console. */
  onWarning?: (warning: string) => void
  /** Makes one attempt at a request. Default: `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

/** Rejects invalid options immediately, and not with every request. */
function assertUsable(baseUrl: unknown, apiKey: unknown): void {
  const isUrl = typeof baseUrl === 'string' && URL.canParse(baseUrl) && /^https?:$/.test(new URL(baseUrl).protocol)
  if (!isUrl) {
    throw new TypeError(`baseUrl must look like https://mail.example.com/api/v1, not ${JSON.stringify(baseUrl)}`)
  }
  // The error does not contain the value, because it is a secret.
  if (apiKey !== null && (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))) {
    throw new TypeError('apiKey must look like svc_live_…, without spaces or line breaks')
  }
}

/**
 * Creates a client without the methods of resources, for small bundles: `dripline.POST('/contacts', { body })` and so on, for every
 * path of the API.
 *
 * The client retries temporary failures: after a 429 or 503 it waits as long as `Retry-After` specifies, after a lost connection
 * or a timeout with growing pauses. Every POST and PATCH has an `Idempotency-Key`, so that a retry takes effect only once.
 *
 * Its methods throw a `DriplineError` for every unsuccessful response, and if there is none.
 *
 * @throws {TypeError} if `baseUrl` is not a URL, or `apiKey` cannot be a key
 */
export function createDriplineCore({
  baseUrl,
  apiKey,
  timeoutMs = 30_000,
  retries = 7,
  onWarning = (warning) => console.warn(`dripline: ${warning}`),
  fetch = (request) => globalThis.fetch(request),
  ...options
}: DriplineOptions): DriplineCore {
  assertUsable(baseUrl, apiKey)
  return createClient<paths, 'application/json'>({
    ...options,
    baseUrl,
    async fetch(request) {
      if (apiKey !== null) request.headers.set('Authorization', `Bearer ${apiKey}`)
      return fetchSafely(request, { timeoutMs, retries, onWarning, fetch })
    },
  }) as unknown as DriplineCore
}
