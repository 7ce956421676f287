import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { MailTransport } from './transport.ts'

/** A span for every message that is handed to a mail server. It says how that ended, and nothing of the message. */
export function traceDeliveries(transport: MailTransport): MailTransport {
  const tracer = trace.getTracer('dripline')
  return {
    deliver: (email) =>
      tracer.startActiveSpan('smtp.deliver', { kind: SpanKind.CLIENT }, async (span) => {
        const delivery = await transport.deliver(email)
        span.setAttribute('dripline.delivery', delivery.kind)
        if (delivery.kind !== 'taken') span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
        return delivery
      }),
    close: () => transport.close(),
  }
}
