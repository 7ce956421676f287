import { forbidden } from '../../domain/errors.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { ApiContext } from '../state.ts'

/** Lets a request pass whose key has the scope (specification, section 5). */
export const requireScope = (scope: Scope) =>
  function requireScope(ctx: ApiContext, next: () => Promise<unknown>): Promise<unknown> {
    if (!ctx.state.apiKey.scopes.includes(scope)) throw forbidden(`Missing required scope: ${scope}`)
    return next()
  }
