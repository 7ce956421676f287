/**
 * `@dripline/client`: the API of Dripline, typed. `schema.d.ts` is generated from the OpenAPI document of the service that it
 * comes with, so that both always match.
 */
import { createDriplineCore, type DriplineCore, type DriplineOptions } from './core.js'
import { createResources, type Resources } from './resources.js'
import type { components, operations, paths } from './schema.js'

export { createDriplineCore, type DriplineCore, type DriplineOptions, type Method } from './core.js'
export type { CallOptions } from './endpoints.js'
export { DriplineError } from './error.js'
export type { List, Page } from './list.js'
export type { Resources } from './resources.js'
export { verifyWebhook, type WebhookEvent, type WebhookRequest } from './verify-webhook.js'
export type { components, operations, paths }

/** The types of the API by name: `Schemas['Contact']`. */
export type Schemas = components['schemas']

/** The events of a workspace, with the properties of each. "dripline generate" declares them; without it, any event is accepted. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- extended by generated code
export interface WorkspaceEvents {}

/** The body of an event, whose name and data are those of the workspace. */
type Typed<Body> = [keyof WorkspaceEvents] extends [never]
  ? Body
  : {
      [Name in keyof WorkspaceEvents]: Body extends object
        ? Omit<Body, 'name' | 'data'> & { name: Name; data?: WorkspaceEvents[Name] }
        : never
    }[keyof WorkspaceEvents]

type Events = Resources['events']
type First<Call> = Call extends (first: infer Value, ...others: never[]) => unknown ? Value : never
type Second<Call> = Call extends (first: never, second: infer Value, ...others: never[]) => unknown ? Value : never

export interface DriplineClient extends DriplineCore, Omit<Resources, 'events'> {
  /** Custom events, which start and continue automations. */
  readonly events: Omit<Events, 'send' | 'fire'> & {
    /** Records an event, and creates or updates its contact in the same call. */
    send(event: Typed<First<Events['send']>>, options?: Parameters<Events['send']>[1]): ReturnType<Events['send']>
    /** Fires an event for an existing contact. */
    fire(
      id: string,
      event: Typed<Second<Events['fire']>>,
      options?: Parameters<Events['fire']>[2],
    ): ReturnType<Events['fire']>
  }
}

/**
 * Creates a client: `dripline.contacts.upsert({ email })` and so on, and `dripline.GET('/contacts')` for every path of the API.
 *
 * The client retries temporary failures, and a retry takes effect only once: see `createDriplineCore`. Its methods throw a
 * `DriplineError` for every unsuccessful response, and if there is none.
 *
 * @throws {TypeError} if `baseUrl` is not a URL, or `apiKey` cannot be a key
 */
export function createDriplineClient(options: DriplineOptions): DriplineClient {
  const core = createDriplineCore(options)
  const methods = core as unknown as Record<string, (path: string, init: object) => Promise<{ data: unknown }>>
  const resources = createResources(async (method, path, init) => (await methods[method]!(path, init)).data)
  return { ...core, ...resources }
}
