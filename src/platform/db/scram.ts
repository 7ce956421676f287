import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Client } from 'pg'

/** As libpq has it in a URL: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-REQUIRE-AUTH */
const REQUIRED = 'scram-sha-256'

/** A URL with which a server has to show that it knows the password, before it is told anything. */
export const requiringScram = (url: string): string => `${url}?require_auth=${REQUIRED}`

export const requiresScram = (url: string): boolean =>
  URL.canParse(url) && new URL(url).searchParams.get('require_auth') === REQUIRED

/**
 * Has a client talk to nobody but the server that knows the password, by SCRAM (RFC 5802), in which both show it to each other
 * and neither tells it. Any user of a machine can listen on a port of it before our Postgres does, and ask for the password.
 *
 * @param client not connected yet
 */
export function requireScram(client: Client): void {
  const { connection } = client as unknown as { connection: EventEmitter & { stream: Socket } }
  const emit = connection.emit.bind(connection)
  let isAtEnd = false
  connection.emit = (name: string, ...args: unknown[]) => {
    // What is said then is held against the password by the driver, which keeps its session where it does not fit.
    if (name === 'authenticationSASLFinal') isAtEnd = true
    const isProven = isAtEnd && (client as unknown as { saslSession: unknown }).saslSession === null
    if (ASKS.includes(name) || (name === 'readyForQuery' && !isProven)) {
      connection.stream.destroy(
        new Error('Who listens on the port of Postgres does not know its password: it is another'),
      )
      return false
    }
    return emit(name, ...args)
  }
}

/** Asks for the password itself, or for what can be tried out. */
const ASKS = ['authenticationCleartextPassword', 'authenticationMD5Password']
