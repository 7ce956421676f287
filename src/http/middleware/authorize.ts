import { ApiError } from '../../platform/api-error.ts'
import type { Caller } from '../caller.ts'
import { isAtLeast, type Role, scopesOf } from '../roles.ts'
import type { Operation } from '../operation.ts'
import { missingRole, missingScope, PEOPLE_ONLY, SIGNED_OUT } from '../errors.ts'
import { type ApiMiddleware, callerOf } from '../state.ts'

/** Rejects callers that may not use an operation, before reading any of their request. */
export const authorize = (operation: Operation): ApiMiddleware =>
  function authorize(ctx, next) {
    const { open } = operation
    if (open === 'account' && !ctx.state.visitor.session) throw new ApiError(SIGNED_OUT)
    if (open === undefined) assertMayUse(operation, callerOf(ctx))
    return next()
  }

/** @throws {ApiError} `scope_missing`; `role_missing`; `people_only` */
export function assertMayUse(operation: Operation, { by, scopes }: Caller): void {
  if (by.kind === 'person') return assertRole(operation, by.person.role)
  const { scope, orScope } = operation
  if (scope === undefined) throw new ApiError(PEOPLE_ONLY)
  const hasOther = orScope !== undefined && scopes.includes(orScope)
  if (scope !== null && !scopes.includes(scope) && !hasOther) throw new ApiError(missingScope(scope))
}

function assertRole({ scope, role }: Operation, given: Role): void {
  const needed = role ?? (scope == null || scopesOf(given).includes(scope) ? 'viewer' : 'editor')
  if (!isAtLeast(given, needed)) throw new ApiError(missingRole(needed))
}
