import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry'
import { Client, Connection, type ConnectionOptions } from '@temporalio/client'

export interface TemporalOptions {
  address: string
  namespace: string
  /** For Temporal Cloud; implies TLS. */
  apiKey: string | undefined
  tls: NonNullable<ConnectionOptions['tls']>
  /** Whether what is started and signalled belongs to the trace of who asks for it. */
  traced?: boolean
}

/** Opens a client without connecting: a Temporal that is down fails requests and not the start. */
export function openTemporal({ address, namespace, apiKey, tls, traced = false }: TemporalOptions): Client {
  const connection = Connection.lazy({
    address,
    tls: tls || apiKey !== undefined,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  const workflow = traced ? [new OpenTelemetryWorkflowClientInterceptor()] : []
  return new Client({ connection, namespace, interceptors: { workflow } })
}
