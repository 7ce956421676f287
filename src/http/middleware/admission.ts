import { rateLimited } from '../refusals.ts'
import type { Context, Middleware } from 'koa'
import { networkOf } from '../../platform/address-ranges.ts'
import { onBehalfOf } from '../../platform/db/pool-shares.ts'
import { readId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Caller, createAdmission, type RateLimit, scopesOf } from '../../workspaces/index.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { NO_MEMBER, SIGNED_OUT, WORKSPACE_MISSING } from '../refusals.ts'
import type { ApiState } from '../state.ts'
import { assertOwnOrigin, sessionTokenOf, type SignedIn, visitorOf } from '../visitor.ts'

/**
 * Finds who a request is of, by its key or by its browser's session, and the workspace; counts it, and says in the answer what is
 * left. Whoever is nobody goes on, because signing in is for those: the router refuses them everywhere else.
 */
export const admission = ({ em, trustedProxies, publicUrl, admitSession }: ApiDependencies): Middleware<ApiState> => {
  const admit = createAdmission(em)
  const from = (address: string | null) => {
    const network = networkOf(address ?? 'unknown')
    return { network, isRefused: () => admit.refuses(network) }
  }
  return async function admission(ctx, next) {
    const visitor = visitorOf(ctx, trustedProxies, publicUrl)
    ctx.state.visitor = visitor
    const key = keyOf(ctx)
    const token = key === undefined ? sessionTokenOf(ctx, visitor) : undefined
    const workspaceId = ctx.get('X-Workspace-Id')
    const signedIn =
      token === undefined ? undefined : await admitSession(token, readId(workspaceId) ?? null, from(visitor.address))
    if (signedIn) visitor.session = signedIn
    const admitted = signedIn
      ? { caller: personOf(signedIn, workspaceId), rateLimit: signedIn.rateLimit }
      : await admit(key ?? '', visitor.address)
    setHeaders(ctx, admitted.rateLimit)
    if (key === undefined) assertOwnOrigin(ctx, visitor, token !== undefined)
    if (!admitted.rateLimit.allowed) throw rateLimited(admitted.rateLimit.retryAfter)
    ctx.state.admittedAt = performance.now()
    ctx.state.caller = token !== undefined && !signedIn ? new Refusal(SIGNED_OUT) : admitted.caller
    // From here on it takes of its workspace's share of the sessions with Postgres.
    const { caller } = ctx.state
    const holder =
      'by' in caller ? caller.workspace.id : (signedIn?.account.id ?? networkOf(visitor.address ?? 'unknown'))
    await onBehalfOf(holder, next)
  }
}

/** Somebody who is signed in, in the workspace that was asked for. */
function personOf({ sessionId, account, membership, rateLimit }: SignedIn, workspaceId: string): Caller | Refusal {
  if (workspaceId === '') return new Refusal(WORKSPACE_MISSING)
  if (!membership) return new Refusal(NO_MEMBER)
  const { role, workspace } = membership
  const person = { accountId: account.id, email: account.email, sessionId, role }
  return { by: { kind: 'person', person }, scopes: scopesOf(role), workspace, rateLimit }
}

/** Where both headers are there, `Authorization` wins. Of its schemes only Bearer carries a key. @returns `undefined`: neither is */
function keyOf(ctx: Context): string | undefined {
  const authorization = ctx.get('Authorization')
  if (authorization) return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  return ctx.get('x-api-key') || undefined
}

/** What is left of the limit, in headers. Times are rounded up: none ever says too early. */
function setHeaders(ctx: Context, { limit, remaining, resetAt }: RateLimit): void {
  ctx.set('X-RateLimit-Limit', String(limit))
  ctx.set('X-RateLimit-Remaining', String(remaining))
  ctx.set('X-RateLimit-Reset', String(Math.ceil(resetAt.getTime() / 1000)))
}
