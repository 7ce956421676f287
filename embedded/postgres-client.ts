import { Client, type ClientConfig } from 'pg'

/** Creates a client that is not connected yet. A lost connection rejects the running query and does not end the process. */
export function clientOf(connectionString: string, more: ClientConfig = {}): Client {
  const client = new Client({ connectionString, ...more })
  client.on('error', () => undefined)
  return client
}
