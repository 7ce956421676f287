import { Client, Connection, type ConnectionOptions } from '@temporalio/client'

export interface TemporalOptions {
  address: string
  namespace: string
  /** For Temporal Cloud; implies TLS. */
  apiKey: string | undefined
  tls: NonNullable<ConnectionOptions['tls']>
}

/** Opens a client without connecting: a Temporal that is down fails requests and not the start. */
export function openTemporal({ address, namespace, apiKey, tls }: TemporalOptions): Client {
  const connection = Connection.lazy({
    address,
    tls: tls || apiKey !== undefined,
    ...(apiKey === undefined ? {} : { apiKey }),
  })
  return new Client({ connection, namespace })
}
