import { type Context, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/** `traceparent` without `tracestate`, because a client can write anything into the latter. */
class IdsAlone extends W3CTraceContextPropagator {
  override extract(...[context, carrier, getter]: Parameters<W3CTraceContextPropagator['extract']>): Context {
    const extracted = super.extract(context, carrier, getter)
    const span = trace.getSpanContext(extracted)
    if (!span) return extracted
    const { traceId, spanId, traceFlags } = span
    return trace.setSpanContext(extracted, { traceId, spanId, traceFlags, isRemote: true })
  }
}

/**
 * Sends the process's traces to an OpenTelemetry collector, over OTLP and HTTP. Without a collector, spans cost nothing and are
 * dropped. OpenTelemetry's own variables, such as OTEL_TRACES_SAMPLER, apply.
 *
 * Only the trace's IDs travel with requests, neither baggage nor state: content from clients would end up in Temporal's
 * histories.
 *
 * @param endpoint the collector's, without a path: `http://localhost:4318`
 * @returns a function that sends the remaining spans and shuts down
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function startTracing(endpoint: string, serviceName: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', `${endpoint.replace(/\/+$/, '')}/`).href,
    // An unreachable collector must not keep the process from stopping.
    timeoutMillis: 3_000,
  })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  provider.register({ propagator: new IdsAlone() })
  return () => provider.shutdown().catch(() => undefined)
}
