import { createServer, type Server, type Socket, type AddressInfo } from 'node:net'

/** A mail server on bare sockets, that does what it is told, line by line. */
export interface Raw {
  url: string
  port: number
  server: Server
  sockets: Set<Socket>
  log: string[]
  taken: { to: string; at: number; subject: string }[]
  close(): Promise<void>
}

export interface Hooks {
  /** Returns what to answer a command; `undefined` for the usual; '' for nothing. */
  command?(line: string, connection: Connection): string | undefined | Promise<string | undefined>
  /** The message is there with its dot. @returns the answer */
  message?(connection: Connection, text: string): string | Promise<string>
  ehlo?: string[]
}

export class Connection {
  static count = 0
  readonly n = (Connection.count += 1)
  to = ''
  inData = false
  data = ''
  readonly socket: Socket
  constructor(socket: Socket) {
    this.socket = socket
  }
}

const t0 = performance.now()
export const now = () => `${((performance.now() - t0) / 1000).toFixed(2)}s`

export async function rawServer(hooks: Hooks, port = 0): Promise<Raw> {
  const log: string[] = []
  const sockets = new Set<Socket>()
  const taken: Raw['taken'] = []
  const say = (c: Connection, what: string) => log.push(`${now()} #${c.n} ${what}`)
  const server = createServer((socket) => {
    const c = new Connection(socket)
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      say(c, 'closed')
    })
    socket.on('error', () => undefined)
    socket.write('220 raw ready\r\n')
    let buffer = ''
    let busy = false
    const pump = async () => {
      if (busy) return
      busy = true
      for (;;) {
        if (c.inData) {
          const end = buffer.startsWith('.\r\n') ? 0 : buffer.indexOf('\r\n.\r\n')
          if (end < 0) break
          const text = buffer.slice(0, end)
          buffer = buffer.slice(end + (end === 0 ? 3 : 5))
          c.inData = false
          say(c, `the message is whole (${text.length} bytes)`)
          const answer = (await hooks.message?.(c, text)) ?? '250 2.0.0 taken'
          if (answer.startsWith('2')) taken.push({ to: c.to, at: Date.now(), subject: /^Subject: (.*)$/m.exec(text)?.[1] ?? '' })
          say(c, `> ${answer}`)
          if (answer) socket.write(`${answer}\r\n`)
          continue
        }
        const at = buffer.indexOf('\r\n')
        if (at < 0) break
        const line = buffer.slice(0, at)
        buffer = buffer.slice(at + 2)
        say(c, `< ${line}`)
        const rcpt = /^RCPT TO:<(.*)>/i.exec(line)
        if (rcpt) c.to = rcpt[1]!
        const own = await hooks.command?.(line, c)
        const usual = /^EHLO/i.test(line)
          ? ['250-raw', ...(hooks.ehlo ?? []).map((x) => `250-${x}`), '250 SIZE 50000000'].join('\r\n')
          : /^DATA/i.test(line)
            ? '354 go on'
            : /^QUIT/i.test(line)
              ? '221 bye'
              : '250 ok'
        const answer = own ?? usual
        if (answer) {
          say(c, `> ${answer.split('\r\n').at(-1)}`)
          if (/^DATA/i.test(line) && answer.startsWith('354')) c.inData = true
          socket.write(`${answer}\r\n`)
          if (answer.startsWith('421') || answer.startsWith('221')) socket.end()
        }
      }
      busy = false
    }
    socket.on('data', (chunk) => {
      buffer += chunk.toString('latin1')
      void pump()
    })
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const bound = (server.address() as AddressInfo).port
  return {
    url: `smtp://127.0.0.1:${bound}`,
    port: bound,
    server,
    sockets,
    log,
    taken,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
