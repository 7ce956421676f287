import { ApiError } from '../platform/api-error.ts'
import type { Caller } from './caller.ts'
import { missingScope } from './errors.ts'
import type { Scope } from './scopes.ts'

/** Requires a scope in addition to the one of the operation. @throws {ApiError} `scope_missing` */
export function assertScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): void {
  if (!scopes.includes(scope)) throw new ApiError(missingScope(scope))
}
