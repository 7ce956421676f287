import type { AnyObject, InferType, ObjectSchema, Schema } from 'yup'
import type { EntityManager } from '../platform/db/orm.ts'
import type { Reason } from '../platform/refusal.ts'
import type { Caller, Scope } from '../workspaces/index.ts'
import type { Call } from '../platform/call.ts'
import type { BodyLimit } from './body.ts'
import type { ApiDependencies } from './dependencies.ts'

/** Under these headings the reference lists the operations. */
export const TAGS = {
  Contacts: 'Subscribers: created, searched, tagged, erased; and what was sent to them.',
  Events: 'Custom events, which start automations.',
  Lists: 'Named sets of contacts. Joining one can start automations.',
  Tags: 'Words on contacts. Getting one can start automations.',
  Segments: 'Saved conditions: whoever they are true for at the moment.',
  Automations: 'Sequences of emails and waits, and who is enrolled in them.',
  Messages: 'Emails, one to one contact each: what became of them, and having them tried again.',
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
}

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
  /** `null`: any valid key. */
  scope: Scope | null
  /** The parameters of the path that are no plain ids. */
  params?: Record<string, Param>
  query?: ObjectSchema<AnyObject>
  body?: ObjectSchema<AnyObject>
  /** Whether none is as good as `{}`. */
  bodyOptional?: true
  /** How large a body may be, where that is not `DEFAULT_BODY_LIMIT`. */
  bodyLimit?: BodyLimit
  /** Whether it does much, however small its body is: see `createLargeTurns`. */
  bulk?: true
  answers: Record<number, AnswerDescription>
  /** Why it refuses, by status, beyond the reasons that every operation has. A text is what is said of an invalid request. */
  refusals?: Partial<Record<400 | 404 | 409, readonly (Reason | string)[]>>
  /** False where what it does is not in Postgres alone: see `doOnce`. */
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
  /** Waits for what its answer says is so, where that is a kept one: the request that did it may still be waiting. */
  waitAgain?(
    request: CheckedRequest<Record<string, string>, AnyObject, AnyObject>,
    dependencies: ApiDependencies,
  ): Promise<void>
  /** Makes the body of an answer as it is now, where it can be too large to be kept for a repeated request. */
  remake?(
    request: CheckedRequest<Record<string, string>, AnyObject, AnyObject>,
    about: { id: string; contactId: string | null },
    dependencies: ApiDependencies,
  ): Promise<unknown>
}

type Known<S> = S extends ObjectSchema<AnyObject> ? InferType<S> : AnyObject

/** Defines an operation: its handler knows what the path and the schemas have. */
export const operation = <
  const Path extends string,
  Query extends ObjectSchema<AnyObject> | undefined = undefined,
  Body extends ObjectSchema<AnyObject> | undefined = undefined,
  Prepared = undefined,
>(
  definition: Omit<Operation, 'path' | 'params' | 'query' | 'body' | 'prepare' | 'handle' | 'remake' | 'waitAgain'> & {
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
    waitAgain?(
      request: CheckedRequest<ParamsOf<Path>, Known<Query>, Known<Body>>,
      dependencies: ApiDependencies,
    ): Promise<void>
    remake?(
      request: CheckedRequest<ParamsOf<Path>, Known<Query>, Known<Body>>,
      about: { id: string; contactId: string | null },
      dependencies: ApiDependencies,
    ): Promise<unknown>
  },
): Operation => definition as unknown as Operation

/** Whether a repeated call is recognised by its Idempotency-Key. */
export const takesIdempotencyKey = ({ method }: Pick<Operation, 'method'>): boolean =>
  method === 'POST' || method === 'PATCH'

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
