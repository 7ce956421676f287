import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A mail server that responds line by line as a test defines. */
export interface ScriptedSmtp {
  url: string
  /** The recipients of the messages that it received completely, whatever it responded. */
  whole: string[]
  /** Every command, in order. */
  commands: string[]
  /** The number of open connections. */
  connections(): number
  close(): Promise<void>
}

export interface Script {
  /** The greeting, by default `220`. */
  greeting?: string
  /** The response to a command: `undefined` for the default, `null` for none. After a 354 the message follows. */
  answer?(command: string, socket: Socket): string | null | undefined
  /** The response to a message, by default `250`. */
  message?(socket: Socket): string | null
}

const USUAL: Record<string, string> = { EHLO: '250 SIZE 50000000', DATA: '354 go on', QUIT: '221 bye' }

export async function startScriptedSmtp(script: Script): Promise<ScriptedSmtp> {
  const sockets = new Set<Socket>()
  const [whole, commands]: [string[], string[]] = [[], []]
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    let [given, recipient, inMessage] = ['', '', false]
    const say = (words: string | null) => words !== null && socket.write(`${words}\r\n`)
    say(script.greeting ?? '220 here')
    socket.on('data', (chunk) => {
      given += chunk.toString('latin1')
      for (;;) {
        const end = inMessage ? '\r\n.\r\n' : '\r\n'
        const at = given.indexOf(end)
        if (at < 0) return
        const line = given.slice(0, at)
        given = given.slice(at + end.length)
        if (inMessage) {
          inMessage = false
          whole.push(recipient)
          say(script.message ? script.message(socket) : '250 taken')
          continue
        }
        commands.push(line)
        recipient = /^RCPT TO:<(.*)>/.exec(line)?.[1] ?? recipient
        const reply = script.answer?.(line, socket)
        inMessage = line === 'DATA' && (reply === undefined || /^354/.test(reply ?? ''))
        say(reply === undefined ? (USUAL[line.slice(0, 4)] ?? '250 ok') : reply)
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    whole,
    commands,
    connections: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
