/**
 * `dripline/client`: the API, typed. Made from the same operations as the service itself; `schema.d.ts` is generated
 * from their OpenAPI document when the package is installed (`scripts/prepare.ts`).
 */
import createClient, { type Client, type ClientOptions } from 'openapi-fetch'
import type { components, operations, paths } from './schema.js'

export type { components, operations, paths }

/** What the API knows, by name: `Schemas['Contact']`. */
export type Schemas = components['schemas']
export type DriplineClient = Client<paths, 'application/json'>

export interface DriplineOptions extends Omit<ClientOptions, 'baseUrl'> {
  /** Ends in the version, such as `https://mail.example.com/api/v1`. */
  baseUrl: string
  /** `svc_live_…` or `svc_test_…`. It is for servers: never ship it to a browser. */
  apiKey: string
}

/**
 * A client: `client.POST('/contacts', { body })` and so on, for every path of the API. An answer is `{ data }` or
 * `{ error }`, with the `response` beside it; nothing is thrown but what `fetch` throws.
 */
export function createDriplineClient({ apiKey, headers, ...options }: DriplineOptions): DriplineClient {
  const client = createClient<paths, 'application/json'>({ ...options, ...(headers ? { headers } : {}) })
  client.use({
    onRequest({ request }) {
      request.headers.set('Authorization', `Bearer ${apiKey}`)
      return request
    },
  })
  return client
}
