/** Why an operation was refused. The API turns each into its status; nothing else about HTTP is known here. */
export type RefusalCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'in-flight'
  | 'erased'
  | 'other-request'
  | 'rate-limited'
  | 'unavailable'

/** An error whose message is for the caller: what was wrong, where, and what would be right. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export const invalid = (message: string): Refusal => new Refusal('invalid', message)
export const unauthenticated = (message: string): Refusal => new Refusal('unauthenticated', message)
export const forbidden = (message: string): Refusal => new Refusal('forbidden', message)
export const notFound = (message: string): Refusal => new Refusal('not-found', message)
export const unavailable = (message: string, cause?: unknown): Refusal => new Refusal('unavailable', message, { cause })
