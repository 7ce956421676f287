import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy {
  port: number
  /** Lets nothing through any more, in either direction, and tells nobody: a network that has gone silent. */
  stall(): void
  /** Lets through again what was held up. */
  resume(): void
  /** Breaks the connections there are. */
  cut(): void
  close(): Promise<void>
}

/** Stands between a client and a server on this machine, as a network does. */
export async function startProxy(upstream: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let stalled = false
  const server = createServer((client) => {
    const target = connect(upstream, '127.0.0.1')
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('data', (chunk) => to.write(chunk))
      if (stalled) from.pause()
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    stall() {
      stalled = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      stalled = false
      for (const socket of sockets) socket.resume()
    },
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
