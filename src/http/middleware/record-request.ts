import type { Context, Middleware } from 'koa'
import type { RecordRequest } from '../finished-request.ts'
import type { ApiState } from '../state.ts'

/** A pointer that names only fields and positions. Other names, such as keys of metadata, could be personal data. */
const FIELDS = /^(\/([A-Za-z]\w{0,39}|\d{1,6}))+$/

/** Records the finished requests of API keys. */
export const recordRequest = (record: RecordRequest, basePath: string): Middleware<ApiState> =>
  async function recordRequest(ctx, next) {
    const start = performance.now()
    await next()
    const { caller, requestId } = ctx.state as Partial<ApiState>
    if (!caller || !('by' in caller) || caller.by.kind !== 'key') return
    const { _matchedRoute: route } = ctx as { _matchedRoute?: string }
    const errorParam = headerOf(ctx, 'X-Error-Param')
    record({
      workspaceId: caller.workspace.id,
      keyId: caller.by.apiKey.id,
      method: ctx.method,
      path: route?.replace(basePath, '').replace(/:(\w+)/g, '{$1}') ?? null,
      status: ctx.status,
      errorCode: headerOf(ctx, 'X-Error-Code'),
      errorParam: errorParam !== null && FIELDS.test(errorParam) ? errorParam : null,
      durationMs: Math.round(performance.now() - start),
      requestId: requestId!,
    })
  }

const headerOf = ({ res }: Context, name: string): string | null => (res.getHeader(name) as string | undefined) ?? null
