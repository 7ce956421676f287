import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy {
  port: number
  /** Lets nothing through any more, in either direction, and tells nobody: a network that has gone silent. */
  stall(): void
  /** Lets through again what was held up. */
  resume(): void
  /** Breaks the connections there are. */
  cut(): void
  /** Is gone, with its connections: whoever connects is refused. */
  goAway(): Promise<void>
  /** Is there again, at its port. */
  comeBack(): Promise<void>
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
  const listen = (port: number) => new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    goAway: close,
    comeBack: () => listen(port),
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
    close,
  }
}
