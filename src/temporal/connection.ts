import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry'
import { Client, Connection, type ConnectionOptions } from '@temporalio/client'

export interface TemporalOptions {
  address: string
  namespace: string
  /** For Temporal Cloud; implies TLS. */
  apiKey: string | undefined
  tls: NonNullable<ConnectionOptions['tls']>
  /** True if workflows and signals belong to the trace of the request that caused them. */
  traced?: boolean
}

/** Opens a client without connecting, so that an outage of Temporal fails requests and not the startup. */
export function openTemporal({ address, namespace, apiKey, tls, traced = false }: TemporalOptions): Client {
  const connection = Connection.lazy({
    address,
    tls: tls || apiKey !== undefined,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  const workflow = traced ? [new OpenTelemetryWorkflowClientInterceptor()] : []
  return new Client({ connection, namespace, interceptors: { workflow } })
}
