import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

/**
 * Sends the process's traces to an OpenTelemetry collector, over OTLP and HTTP. Without it, spans cost nothing and go
 * nowhere. OpenTelemetry's own variables, such as OTEL_TRACES_SAMPLER, are heeded.
 *
 * Only the trace's ids travel with requests, no baggage: what a client puts there would end in Temporal's histories.
 *
 * @param endpoint the collector's, without a path: `http://localhost:4318`
 * @returns what sends the rest and ends it.
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function startTracing(endpoint: string, serviceName: string): () => Promise<void> {
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', `${endpoint.replace(/\/+$/, '')}/`).href,
    // A collector that is away must not keep a process from stopping.
    timeoutMillis: 3_000,
  })
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  provider.register({ propagator: new W3CTraceContextPropagator() })
  return () => provider.shutdown().catch(() => undefined)
}
