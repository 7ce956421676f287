import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SmtpServer } from './smtp-url.ts'

const MAX_BYTES = 1_000

/** Reads the host name in the greeting of a server (RFC 5321, section 4.3.1). @returns `undefined` if there is none */
export async function readGreeting({ options }: SmtpServer, timeoutMs: number): Promise<string | undefined> {
  const { host = 'localhost', secure = false, port = secure ? 465 : 587 } = options
  const target = { host, port: Number(port) }
  const socket: Socket = secure ? connectTls({ ...target, rejectUnauthorized: false }) : connect(target)
  socket.setEncoding('latin1')
  const late = setTimeout(() => socket.destroy(), timeoutMs)
  try {
    let text = ''
    for await (const chunk of socket as AsyncIterable<string>) {
      text += chunk
      if (text.includes('\n') || text.length > MAX_BYTES) break
    }
    return /^220[ -](\S+)/.exec(text)?.[1]
  } catch {
    return undefined
  } finally {
    clearTimeout(late)
    socket.destroy()
  }
}
