import type { List } from './list.js'
import type { paths } from './schema.js'

type MethodName = 'get' | 'put' | 'post' | 'patch' | 'delete'

/** Marks the input of a call after the IDs in its path. */
type Input = '' | ' with query' | ' with body' | ' in pages'

/** The endpoints of the API, such as `GET /contacts in pages`, `GET /templates/{id} with query` and `POST /contacts with body`. */
export type Endpoint = {
  [Path in keyof paths]: {
    [Name in MethodName]: paths[Path][Name] extends object
      ? `${Uppercase<Name>} ${Path}${InputOf<paths[Path][Name]>}`
      : never
  }[MethodName]
}[keyof paths]

type Json<Holder> = Holder extends { content: { 'application/json': infer Value } } ? Value : never

type QueryOf<Operation> = Operation extends { parameters: { query?: infer Query } } ? NonNullable<Query> : never
type HeadersOf<Operation> = Operation extends { parameters: { header?: infer Headers } } ? NonNullable<Headers> : never
type BodyOf<Operation> = Operation extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : never
/** The JSON of every successful response: an operation that creates or updates has two, of the same type. */
type ResponseOf<Operation> = Operation extends { responses: infer Responses }
  ? Json<Responses[keyof Responses & (200 | 201 | 202)]>
  : never

type InputOf<Operation> = [BodyOf<Operation>] extends [never]
  ? [QueryOf<Operation>] extends [never]
    ? ''
    : ResponseOf<Operation> extends { pagination: object }
      ? ' in pages'
      : ' with query'
  : ' with body'

/** The operation of an endpoint. */
type OperationOf<Call extends string> = Call extends `${infer Name} ${infer Rest}`
  ? Rest extends `${infer Path}${Exclude<Input, ''>}`
    ? OperationAt<Name, Path>
    : OperationAt<Name, Rest>
  : never
type OperationAt<Name extends string, Path> = Path extends keyof paths
  ? Lowercase<Name> extends infer Lower extends keyof paths[Path]
    ? paths[Path][Lower]
    : never
  : never

/** The IDs in the path of a call. */
type IdsOf<Call extends string> = Call extends `${string}{id}${string}{contactId}${string}`
  ? [id: string, contactId: string]
  : Call extends `${string}{id}${string}{deliveryId}${string}`
    ? [id: string, deliveryId: string]
    : Call extends `${string}{id}${string}{tag}${string}`
      ? [id: string, tag: string]
      : Call extends `${string}{name}`
        ? [name: string]
        : Call extends `${string}{id}${string}{${string}`
          ? never
          : Call extends `${string}{id}${string}`
            ? [id: string]
            : []

type IsOptional<Value, Key extends PropertyKey> = Value extends { [Required in Key]: unknown } ? false : true

type InputsOf<Call extends string, Operation> = Call extends `${string} with body`
  ? IsOptional<Operation, 'requestBody'> extends true
    ? [body?: BodyOf<Operation>]
    : [body: BodyOf<Operation>]
  : Call extends `${string}${' with query' | ' in pages'}`
    ? Operation extends { parameters: { query: object } }
      ? [query: QueryOf<Operation>]
      : [query?: QueryOf<Operation>]
    : []

/** Options of one call. */
export type CallOptions<Headers = { 'Idempotency-Key'?: string; 'If-Match'?: string }> = {
  /** Aborts the call and its retries. */
  signal?: AbortSignal
} & (Headers extends { 'Idempotency-Key'?: string }
  ? {
      /**
       * Makes it safe to repeat the call from another process within 24 hours, such as `receipt-4711`. Do not use personal data.
       * Without one, only retries by this client are safe.
       */
      idempotencyKey?: string
    }
  : unknown) &
  (Headers extends { 'If-Match'?: string }
    ? {
        /** The ETag of the version that you read. If it has changed since, the call throws `revision_conflict`. */
        ifMatch?: string
      }
    : unknown)

type OptionsOf<Operation> = CallOptions<
  [HeadersOf<Operation>] extends [never] ? unknown : Required<HeadersOf<Operation>>
>

type ResultOf<Response> = Response extends { data: (infer Item)[]; pagination: infer Pagination }
  ? List<Item, Pagination>
  : Response extends { data: infer Data }
    ? Promise<Data>
    : never

/** A function that calls an endpoint. It returns the `data` of the response. */
export type CallOf<Call extends string> = (
  ...values: [...IdsOf<Call>, ...InputsOf<Call, OperationOf<Call>>, options?: OptionsOf<OperationOf<Call>>]
) => ResultOf<ResponseOf<OperationOf<Call>>>
