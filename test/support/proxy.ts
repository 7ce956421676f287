import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface Proxy {
  port: number
  /** Blocks all traffic in both directions without closing connections, like a network that has gone silent. */
  stall(): void
  /** Lets the blocked traffic through. */
  resume(): void
  /** Closes the current connections. */
  cut(): void
  /** Closes all connections and refuses new ones. */
  goAway(): Promise<void>
  /** Accepts connections again at the same port. */
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** Starts a TCP proxy between a client and a server on this machine, which acts as the network. */
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
