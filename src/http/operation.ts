import type { AnyObject, InferType, ObjectSchema, Schema } from 'yup'
import type { EntityManager } from '../platform/db/orm.ts'
import type { ErrorDefinition } from '../platform/api-error.ts'
import type { Caller } from './caller.ts'
import type { Role } from './roles.ts'
import type { Scope } from './scopes.ts'
import type { Visitor } from './visitor.ts'
import type { Call } from '../platform/call.ts'
import type { BodyLimit } from './body.ts'
import type { ApiDependencies } from './dependencies.ts'
import type { Revisions } from '../platform/revisions.ts'

/** The groups of operations in the reference. */
export const TAGS = {
  Contacts: 'People who get emails: create, search, tag and erase them, and list their messages.',
  Events: 'Custom events, which start automations, and the history of contacts.',
  Lists: 'Named groups of contacts. Joining one can start automations.',
  Tags: 'Labels on contacts. Adding one to a contact can start automations.',
  Consent: 'Unsubscribes and suppressions.',
  Segments: 'Saved conditions. A segment contains the contacts that currently match it.',
  Templates: 'Reusable emails for automations and campaigns.',
  Media: 'Images in emails.',
  Automations: 'Sequences of emails and waits, and who is enrolled in them.',
  Campaigns: 'One email to many contacts.',
  Proposals: 'Changes that an agent proposes, and a member approves or rejects.',
  Stats: 'Statistics, and emails that are due. They are read from counters, so they stay fast for any amount of data.',
  Emails: 'Transactional emails, such as receipts and passwords: one email to one address.',
  Messages: 'Individual emails to contacts: their status, and retries.',
  Webhooks: 'Endpoints that get events, their deliveries, and events to poll.',
  Account: 'Dashboard sessions, and the personal settings across all workspaces.',
  Members: 'Members of a workspace, and invitations.',
  Settings: 'API keys and the settings of the workspace.',
  Service: 'The current key, and this document.',
} as const

/** The parameters of a path such as `/lists/{id}/contacts/{contactId}`, by name. */
export type ParamsOf<Path extends string> = Record<NamesOf<Path>, string>
type NamesOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesOf<Rest> : never

/** A validated request. */
export interface CheckedRequest<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  caller: Caller
  visitor: Visitor
}

export interface Request<Params, Query, Body, Prepared = undefined> extends CheckedRequest<Params, Query, Body> {
  call: Call
  prepared: Prepared
  /** The header `If-Match`, if the operation requires it. */
  ifMatch: Revisions
}

/** A request of an operation that needs no workspace. */
export type VisitorsRequest<Body> = Pick<
  Request<Record<string, string>, AnyObject, Body>,
  'params' | 'body' | 'visitor'
>

/** The same for a person who is signed in. */
export type AccountsRequest<Body> = VisitorsRequest<Body> & { visitor: { session: NonNullable<Visitor['session']> } }

/** A path parameter that is not a plain ID. */
export interface Param {
  description: string
  example: string
  /** Finds the resource. @returns its ID, or `undefined` if it does not exist */
  resolve?: (em: EntityManager, caller: Caller, given: string) => Promise<string | undefined>
}

/** Builds the warning headers: ignored names and likely mistakes. @param warnings sentences in ASCII */
export const warn = (warnings: readonly string[]): Record<string, string> =>
  warnings.length === 0 ? {} : { 'X-Warning': warnings.join('; ') }

export interface OperationResponse {
  status: number
  headers?: Readonly<Record<string, string>> | undefined
  /** A JSON value, or a stream of JSON text if the body can be too large for memory. */
  body: unknown
  /** The contact whose data the body contains: a stored response is erased with them. */
  contactId?: string | null
}

interface ResponseDescription {
  description: string
  schema: Schema
  /** Follow-up operations, with values of this response: `links` of the document. */
  links?: Record<string, Record<string, string>>
}

/**
 * One operation of the API. The router serves it, the OpenAPI document describes it, and the tests check it against its
 * description.
 */
export interface Operation {
  /** The operation's name in generated clients. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base path, such as `/contacts/{id}`. */
  path: string
  tag: keyof typeof TAGS
  summary: string
  description: string
  /**
   * The scope that a key needs and that a role includes. `null` allows any valid key and any member. Without a scope, only people
   * may use the operation.
   */
  scope?: Scope | null
  /** An alternative scope. The request determines which one is needed. */
  orScope?: Scope
  /** The minimum role of a person, for operations that keys may not use, or where the scope is not enough. */
  role?: Role
  /** True if the operation requires the revision that it changes (`If-Match`), or its response has one (`ETag`). */
  ifMatch?: true
  etag?: true
  /**
   * True if the response contains a secret that is not stored anywhere. The response is not stored either, so the operation takes
   * no Idempotency-Key.
   */
  isSecret?: true
  /** True if the description of the operation offers basic authentication, which all operations accept. */
  takesBasic?: true
  /** For operations without a workspace: a signed-in person (`account`), or anyone (`anybody`). */
  open?: 'account' | 'anybody'
  /** Path parameters that are not plain IDs. */
  params?: Record<string, Param>
  query?: ObjectSchema<AnyObject>
  body?: ObjectSchema<AnyObject>
  /** True if the body may be empty, which means `{}`. */
  bodyOptional?: true
  /** True if the query may have any parameters, which are ignored: senders of other services add their own. */
  takesAnyQuery?: true
  /** The maximum size of the body, if it is not `DEFAULT_BODY_LIMIT`. */
  bodyLimit?: BodyLimit
  /**
   * The writer of a change's audit entry; by default the pipeline. `by-handler`: the handler calls `Call.audit` in its own
   * transaction. `never`: for frequent changes without a lasting effect.
   */
  audit?: 'by-handler' | 'never'
  /** True if the operation only reads, although it is a POST: its query is too long for a URL. */
  changesNothing?: true
  responses: Record<number, ResponseDescription>
  /** Errors of this operation by status, in addition to those of every operation. A plain string describes an invalid request. */
  errors?: Partial<Record<400 | 401 | 403 | 404 | 409 | 429, readonly (ErrorDefinition | string)[]>>
  /** False if the effect is not in Postgres alone, or is more than one transaction. */
  transactional?: false
  /**
   * Whether a request shares a transaction with concurrent ones, unless it has an Idempotency-Key. It then waits for no place of its
   * workspace, so the handler must use no other connection to the database.
   */
  sharesTransaction?(body: AnyObject): boolean
  /**
   * Runs slow checks that schemas cannot express, and passes the result to the handler. It runs before the transaction, so that
   * no database connection is held in the meantime.
   */
  prepare?(
    request: CheckedRequest<Record<string, string>, AnyObject, AnyObject>,
    dependencies: ApiDependencies,
  ): Promise<unknown>
  handle(
    request: Request<Record<string, string>, AnyObject, AnyObject, unknown>,
    dependencies: ApiDependencies,
  ): Promise<OperationResponse> | OperationResponse
}

type Known<S> = S extends ObjectSchema<AnyObject> ? InferType<S> : AnyObject

/** Defines an operation. The types of its handler follow from the path and the schemas. */
export const operation = <
  const Path extends string,
  Query extends ObjectSchema<AnyObject> | undefined = undefined,
  Body extends ObjectSchema<AnyObject> | undefined = undefined,
  Prepared = undefined,
>(
  definition: Omit<Operation, 'path' | 'params' | 'query' | 'body' | 'prepare' | 'handle'> & {
    path: Path
    params?: Partial<Record<NamesOf<Path>, Param>>
    query?: Query
    body?: Body
    prepare?(
      request: CheckedRequest<ParamsOf<Path>, Known<Query>, Known<Body>>,
      dependencies: ApiDependencies,
    ): Promise<Prepared>
    handle(
      request: Request<ParamsOf<Path>, Known<Query>, Known<Body>, NoInfer<Prepared>>,
      dependencies: ApiDependencies,
    ): Promise<OperationResponse> | OperationResponse
  },
): Operation => definition as unknown as Operation

type OpenDefinition<Path extends string, Body> = Pick<
  Operation,
  'id' | 'method' | 'tag' | 'summary' | 'description' | 'responses' | 'errors'
> & { path: Path; body?: Body }

/** Defines an operation of a signed-in person, outside of any workspace. */
export const accountOperation = <
  const Path extends string,
  Body extends ObjectSchema<AnyObject> | undefined = undefined,
>(
  definition: OpenDefinition<Path, Body> & {
    handle(
      request: AccountsRequest<Known<Body>>,
      dependencies: ApiDependencies,
    ): Promise<OperationResponse> | OperationResponse
  },
): Operation => ({ ...definition, open: 'account', bodyLimit: OPEN_BODY_LIMIT }) as unknown as Operation

/** Defines an operation that is open to anyone, such as signing in. */
export const openOperation = <const Path extends string, Body extends ObjectSchema<AnyObject> | undefined = undefined>(
  definition: OpenDefinition<Path, Body> & {
    handle(
      request: VisitorsRequest<Known<Body>>,
      dependencies: ApiDependencies,
    ): Promise<OperationResponse> | OperationResponse
  },
): Operation => ({ ...definition, open: 'anybody', bodyLimit: OPEN_BODY_LIMIT }) as unknown as Operation

/** Body size for an email address, a password and a name. */
const OPEN_BODY_LIMIT = { bytes: 16 * 1024, values: 100 }

/** Returns whether an operation accepts an Idempotency-Key. */
export const takesIdempotencyKey = (operation: Operation): boolean =>
  isChange(operation) &&
  operation.open === undefined &&
  operation.isSecret === undefined &&
  (operation.method === 'POST' || operation.method === 'PATCH')

/** Returns whether an operation changes data. */
export const isChange = ({ method, changesNothing }: Operation): boolean => method !== 'GET' && !changesNothing

/** The parameters of an operation's path, in their order. A parameter that is not described in `params` is an ID. */
export function paramsOf({ path, params = {} }: Pick<Operation, 'path' | 'params'>): (Param & {
  name: string
  isId: boolean
})[] {
  return [...path.matchAll(/(\w+)s\/\{(\w+)\}/g)].map(([, of = '', name = '']) => {
    const described = params[name]
    return {
      name,
      isId: described === undefined,
      ...(described ?? { description: `The ${of}'s id.`, example: EXAMPLE_ID }),
    }
  })
}

export const EXAMPLE_ID = '0199f3a1-7c4e-7b5a-9d0e-3f8a2b6c1d4e'
