import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A mail server that says, line by line, what a test has it say. */
export interface ScriptedSmtp {
  url: string
  /** The messages that it has whole, whatever it answered: their recipients. */
  whole: string[]
  /** Every command, in order. */
  commands: string[]
  /** How many connections there are. */
  connections(): number
  close(): Promise<void>
}

export interface Script {
  /** What to say to whoever comes: `220` if nothing else. */
  greeting?: string
  /** What to answer to a command: `undefined` for the usual, `null` for nothing. Behind a 354 the message comes. */
  answer?(command: string, socket: Socket): string | null | undefined
  /** What to answer to a message: `250` if nothing else. */
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
        const words = script.answer?.(line, socket)
        inMessage = line === 'DATA' && (words === undefined || /^354/.test(words ?? ''))
        say(words === undefined ? (USUAL[line.slice(0, 4)] ?? '250 ok') : words)
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
