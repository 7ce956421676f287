import { context, propagation, SpanKind, SpanStatusCode, trace as tracing } from '@opentelemetry/api'
import type { Middleware } from 'koa'
import type { ApiState } from '../state.ts'

/**
 * Adds a span for every request, below the client's span if it sent one. The span is named after the route, because paths contain
 * IDs.
 * @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export const trace = (): Middleware<ApiState> => {
  const tracer = tracing.getTracer('dripline')
  return async function trace(ctx, next) {
    const caller = propagation.extract(context.active(), ctx.req.headers)
    const span = tracer.startSpan(ctx.method, { kind: SpanKind.SERVER }, caller)
    try {
      await context.with(tracing.setSpan(caller, span), next)
    } finally {
      const { _matchedRoute: route } = ctx as { _matchedRoute?: string }
      if (route !== undefined) span.updateName(`${ctx.method} ${route}`).setAttribute('http.route', route)
      span.setAttributes({
        'http.request.method': ctx.method,
        'http.response.status_code': ctx.status,
        'dripline.request_id': ctx.state.requestId,
      })
      if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
  }
}
