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

/** Under these headings the reference lists the operations. */
export const TAGS = {
  Contacts: 'Subscribers: created, searched, tagged, erased; and what was sent to them.',
  Events: 'Custom events, which start automations.',
  Lists: 'Named sets of contacts. Joining one can start automations.',
  Tags: 'Words on contacts. Getting one can start automations.',
  Consent: 'Who is not to be mailed, and why.',
  Segments: 'Saved conditions: whoever they are true for at the moment.',
  Templates: 'Emails that are kept apart from what sends them.',
  Automations: 'Sequences of emails and waits, and who is enrolled in them.',
  Campaigns: 'One email to many.',
  Figures: 'How many there are of what, and what is due: read from contact_counters, however many there are.',
  Messages: 'Emails, one to one contact each: what became of them, and having them tried again.',
  Account: 'Signing in with a browser, and what is of one person in all workspaces.',
  Members: 'Who works in a workspace, and who is invited to.',
  Settings: 'API keys, and the workspace itself.',
  Service: 'The key in use, and this description.',
} as const

/** The parameters of a path such as `/lists/{id}/contacts/{contactId}`, by name. */
export type ParamsOf<Path extends string> = Record<NamesOf<Path>, string>
type NamesOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesOf<Rest> : never

/** What is known of a request before anything is done. */
export interface CheckedRequest<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  caller: Caller
}

export interface Request<Params, Query, Body, Prepared = undefined> extends CheckedRequest<Params, Query, Body> {
  call: Call
  prepared: Prepared
  /** Of the header `If-Match`, where the operation has it. */
  ifMatch: Revisions
  visitor: Visitor
}

/** A request of somebody who is nobody yet, or nobody in a workspace. */
export type VisitorsRequest<Body> = Pick<
  Request<Record<string, string>, AnyObject, Body>,
  'params' | 'body' | 'visitor'
>

/** The same, of somebody who is signed in. */
export type AccountsRequest<Body> = VisitorsRequest<Body> & { visitor: { session: NonNullable<Visitor['session']> } }

/** A parameter of a path that is no plain id. */
export interface Param {
  description: string
  example: string
  /** Finds what is meant. @returns its id, or `undefined` where there is none. */
  resolve?: (em: EntityManager, caller: Caller, given: string) => Promise<string | undefined>
}

/** Headers that say what was ignored, or is most likely not meant. @param warnings sentences in ASCII */
export const warn = (warnings: readonly string[]): Record<string, string> =>
  warnings.length === 0 ? {} : { 'X-Warning': warnings.join('; ') }

export interface Answer {
  status: number
  headers?: Readonly<Record<string, string>> | undefined
  /** What is written as JSON; or pieces of JSON, where all of it can be too much to be held. */
  body: unknown
  /** The contact whose data the body holds: a kept answer is erased with it. */
  contactId?: string | null
}

export interface AnswerDescription {
  description: string
  schema: Schema
  /** What can be asked next, with values of this answer: the document's `links`. */
  links?: Record<string, Record<string, string>>
}

/**
 * One operation of the API: all there is to know of it, once. The router serves it, the OpenAPI document describes it,
 * the tests go through what is described.
 */
export interface Operation {
  /** Its name in clients. */
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to the base path, such as `/contacts/{id}`. */
  path: string
  tag: keyof typeof TAGS
  summary: string
  description: string
  /**
   * What a key needs, and a person's role has: `null` for nothing, which is any valid key and any member. Without one it is for
   * people alone.
   */
  scope?: Scope | null
  /** Another one that will do: which of them is needed, says what it is asked of. */
  orScope?: Scope
  /** What a person has to be in the workspace, where no key may. */
  role?: Role
  /** Whether it is done only for a revision that is named (`If-Match`); and whether its answer names one (`ETag`). */
  ifMatch?: true
  etag?: true
  /** Whether its answer shows what is kept nowhere: no answer of it is kept either, and it takes no Idempotency-Key. */
  isSecret?: true
  /** Without a workspace: whoever is signed in; or anybody at all. */
  open?: 'account' | 'anybody'
  /** The parameters of the path that are no plain ids. */
  params?: Record<string, Param>
  query?: ObjectSchema<AnyObject>
  body?: ObjectSchema<AnyObject>
  /** Whether none is as good as `{}`. */
  bodyOptional?: true
  /** How large a body may be, where that is not `DEFAULT_BODY_LIMIT`. */
  bodyLimit?: BodyLimit
  /**
   * Who writes the audit entry of a change: the pipeline, unless something else is said. `by-handler`: the handler calls `Call.audit` in
   * its own transaction. `never`: for changes without a lasting effect, which come often.
   */
  audit?: 'by-handler' | 'never'
  /** Whether it only tells something, although it is a POST: of what is too long for a query. */
  changesNothing?: true
  responses: Record<number, AnswerDescription>
  /** Why it refuses, by status, beyond the reasons that every operation has. A text is what is said of an invalid request. */
  errors?: Partial<Record<400 | 401 | 403 | 404 | 409 | 429, readonly (ErrorDefinition | string)[]>>
  /** False where what it does is not in Postgres alone, or more than one transaction. */
  transactional?: false
  /**
   * Checks what the schemas cannot, where that takes long, and hands on what it found: before the transaction, so that no
   * session with Postgres is held meanwhile.
   */
  prepare?(
    request: CheckedRequest<Record<string, string>, AnyObject, AnyObject>,
    dependencies: ApiDependencies,
  ): Promise<unknown>
  handle(
    request: Request<Record<string, string>, AnyObject, AnyObject, unknown>,
    dependencies: ApiDependencies,
  ): Promise<Answer> | Answer
}

type Known<S> = S extends ObjectSchema<AnyObject> ? InferType<S> : AnyObject

/** Defines an operation: its handler knows what the path and the schemas have. */
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
    ): Promise<Answer> | Answer
  },
): Operation => definition as unknown as Operation

type OpenDefinition<Path extends string, Body> = Pick<
  Operation,
  'id' | 'method' | 'tag' | 'summary' | 'description' | 'responses' | 'errors'
> & { path: Path; body?: Body }

/** Defines an operation of whoever is signed in, in no workspace. */
export const accountOperation = <
  const Path extends string,
  Body extends ObjectSchema<AnyObject> | undefined = undefined,
>(
  definition: OpenDefinition<Path, Body> & {
    handle(request: AccountsRequest<Known<Body>>, dependencies: ApiDependencies): Promise<Answer> | Answer
  },
): Operation => ({ ...definition, open: 'account', bodyLimit: OPEN_BODY_LIMIT }) as unknown as Operation

/** Defines an operation of anybody: signing in, and what comes before it. */
export const openOperation = <const Path extends string, Body extends ObjectSchema<AnyObject> | undefined = undefined>(
  definition: OpenDefinition<Path, Body> & {
    handle(request: VisitorsRequest<Known<Body>>, dependencies: ApiDependencies): Promise<Answer> | Answer
  },
): Operation => ({ ...definition, open: 'anybody', bodyLimit: OPEN_BODY_LIMIT }) as unknown as Operation

/** An email, a password and a name. */
const OPEN_BODY_LIMIT = { bytes: 16 * 1024, values: 100 }

/** Whether a repeated call is recognised by its Idempotency-Key. */
export const takesIdempotencyKey = (operation: Operation): boolean =>
  isChange(operation) &&
  operation.open === undefined &&
  operation.isSecret === undefined &&
  (operation.method === 'POST' || operation.method === 'PATCH')

/** Whether it is to change something. */
export const isChange = ({ method, changesNothing }: Operation): boolean => method !== 'GET' && !changesNothing

/** The parameters of an operation's path, in their order: what is not described there is the id of something. */
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
