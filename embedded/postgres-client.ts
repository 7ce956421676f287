import { Client, type ClientConfig } from 'pg'
import { requireScram, requiresScram } from '../src/platform/db/scram.ts'

/** A client of the embedded Postgres, and of nobody else who listens where it is to be. Not connected yet. */
export function clientOf(connectionString: string, more: ClientConfig = {}): Client {
  const client = new Client({ connectionString, ...more })
  client.on('error', () => undefined)
  if (requiresScram(connectionString)) requireScram(client)
  return client
}
