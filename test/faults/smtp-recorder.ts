/**
 * A separate process: an SMTP server that records, durably, when a sender begins DATA, and every message that it accepts, before
 * it responds. Its response time, and how often it closes the connection instead of responding (with or without accepting the
 * message), are in a file that survives it. Addresses at `limited.example` get at most 20 emails a second.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { limitingProvider } from '../support/limiting-provider.ts'

export type RecorderEntry =
  | { kind: 'begun'; at: number; to: string }
  | { kind: 'accepted'; at: number; messageId: string; to: string; subject: string }
  | { kind: 'cut'; at: number; messageId: string; to: string; subject: string }

/** How the server behaves: the share of messages whose connection it closes, and its response time (`null`: short). */
export interface MailMode {
  cuts: number
  takesMs: number | null
}

const [portText, file = '', modeFile = ''] = process.argv.slice(2)
const readMode = () => JSON.parse(readFileSync(modeFile, 'utf8')) as MailMode

function record(entry: RecorderEntry): void {
  const log = openSync(file, 'a')
  writeSync(log, `${JSON.stringify(entry)}\n`)
  fsyncSync(log)
  closeSync(log)
}

const provider = limitingProvider('limited.example', 20)

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  onRcptTo({ address }, _session, callback) {
    const rejection = provider.behavior(address)
    callback(rejection ? Object.assign(new Error(rejection.text), { responseCode: rejection.code }) : null)
  },
  onData(stream, session, callback) {
    receive(stream, session).then(
      (answer) => (answer === 'cut' ? cutConnection(session) : callback(null, answer)),
      (error: Error) => callback(error),
    )
  },
})

async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
  const to = session.envelope.rcptTo[0]?.address ?? ''
  record({ kind: 'begun', at: Date.now(), to })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const header = (name: string) => new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(text)?.[1] ?? ''
  const message = {
    messageId: header('Message-ID'),
    to,
    subject: header('Subject'),
  }
  const { cuts, takesMs } = readMode()
  const cut = Math.random() < cuts
  // Half of the cuts come before the message counts as accepted: the sender cannot tell the two cases apart.
  const taken = !cut || Math.random() < 0.5
  if (taken) record({ kind: 'accepted', at: Date.now(), ...message })
  if (cut) {
    record({ kind: 'cut', at: Date.now(), ...message })
    return 'cut'
  }
  // The most critical instant for a kill, and not a short one: mail servers take time to respond.
  await delay(takesMs ?? 50 + Math.random() * 300)
  return 'queued'
}

/** Closes this connection only: other connections continue. */
function cutConnection({ id }: SMTPServerSession): void {
  for (const client of server.connections) {
    if ((client as unknown as { session: SMTPServerSession }).session.id === id) client.close()
  }
}

server.on('error', () => undefined)
server.listen(Number(portText), '127.0.0.1')
