import type { Context, Middleware } from 'koa'
import { networkOf } from '../../platform/address-ranges.ts'
import { ConcurrencyLimit } from '../../platform/concurrency-limit.ts'
import { readId } from '../../platform/ids.ts'
import { BUSY, ApiError } from '../../platform/api-error.ts'
import type { Caller } from '../caller.ts'
import { scopesOf } from '../roles.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { NOT_A_MEMBER, SIGNED_OUT, WORKSPACE_MISSING } from '../errors.ts'
import type { ApiState } from '../state.ts'
import { sessionTokenOf, type SignedIn, visitorOf } from '../visitor.ts'

/** Maximum concurrent admissions with the same credential. Those that wait for one statement share the next one. */
const CONCURRENCY = {
  maxRunning: 100,
  maxWaiting: 1_000,
  maxWaitMs: 5_000,
  createError: () =>
    new ApiError(BUSY, { message: 'Too many concurrent requests of this key or address. Please try again.' }),
}

type Dependencies = Pick<ApiDependencies, 'authenticateKey' | 'authenticateSession' | 'trustedProxies' | 'publicUrl'>

/**
 * Finds the caller by an API key or by the session of a browser, and counts the request. A request without a valid credential
 * continues, because signing in is open to anyone. The other operations reject it.
 */
export function authenticate({
  authenticateKey,
  authenticateSession,
  trustedProxies,
  publicUrl,
}: Dependencies): Middleware<ApiState> {
  const limit = new ConcurrencyLimit(CONCURRENCY)
  return async function authenticate(ctx, next) {
    const { state } = ctx
    state.visitor = visitorOf(ctx, trustedProxies, publicUrl)
    const { address } = state.visitor
    const key = keyOf(ctx)
    const token = key === undefined ? sessionTokenOf(ctx, state.visitor) : undefined
    await limit.run(key || token || networkOf(address ?? 'unknown'), async () => {
      const workspaceId = ctx.get('X-Workspace-Id')
      const signedIn = token === undefined ? undefined : await authenticateSession(token, readId(workspaceId) ?? null)
      if (signedIn) {
        state.visitor.session = signedIn
        state.rateLimit = signedIn.rateLimit
        state.caller = memberOf(signedIn, workspaceId)
      } else {
        const { caller, rateLimit } = await authenticateKey(key ?? '', address)
        state.rateLimit = rateLimit
        state.caller = token === undefined ? caller : new ApiError(SIGNED_OUT)
      }
    })
    await next()
  }
}

/** The person as a member of the workspace that the request names. */
function memberOf({ sessionId, account, membership, rateLimit }: SignedIn, workspaceId: string): Caller | ApiError {
  if (workspaceId === '') return new ApiError(WORKSPACE_MISSING)
  if (!membership) return new ApiError(NOT_A_MEMBER)
  const { role, workspace } = membership
  const person = { accountId: account.id, email: account.email, sessionId, role }
  return { by: { kind: 'person', person }, scopes: scopesOf(role), workspace, rateLimit }
}

/**
 * Reads the API key. `Authorization` wins over `x-api-key`. In basic authentication, the key is the user name.
 * @returns `undefined` if the request has neither header
 */
function keyOf(ctx: Context): string | undefined {
  const authorization = ctx.get('Authorization')
  // A key that is not encoded has an underscore, which base64 does not have (RFC 7617, RFC 4648 section 4).
  const [, basic] = /^Basic +([a-z\d+/]+=*) *$/i.exec(authorization) ?? []
  if (basic !== undefined) return /^([^:]*):/.exec(Buffer.from(basic, 'base64').toString())?.[1] ?? ''
  if (authorization) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  return ctx.get('x-api-key') || undefined
}
