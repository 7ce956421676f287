import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { MailTransport, ConnectionSlot } from './transport.ts'

/** Adds a span for every delivery to a mail server, with its outcome but without message data. */
export function traceDeliveries(transport: MailTransport): MailTransport {
  const tracer = trace.getTracer('dripline')
  const traced = (permit: ConnectionSlot): ConnectionSlot => ({
    release: () => permit.release(),
    deliver: (email, handOver) =>
      tracer.startActiveSpan('smtp.deliver', { kind: SpanKind.CLIENT }, async (span) => {
        const delivery = await permit.deliver(email, handOver)
        span.setAttribute('dripline.delivery', delivery.kind)
        if (delivery.kind !== 'taken') span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
        return delivery
      }),
  })
  return {
    ...transport,
    async permitSoon(turn) {
      const permit = await transport.permitSoon(turn)
      return permit && traced(permit)
    },
    permit: async (turn, signal) => traced(await transport.permit(turn, signal)),
  }
}
