import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  headers: string
  body: string
  at: Date
}

export interface SmtpSink {
  url: string
  port: number
  mails: ReceivedMail[]
  /** Rejections and cut connections since it last accepted an email. */
  rejections(): number
  /** Sets the response to further emails: accept, an SMTP error, or a cut connection after DATA and before the response. */
  behave(behavior: Behavior): void
  close(): Promise<void>
}

export interface Rejection {
  code: number
  text: string
}

/** A rejection at RCPT may apply to one recipient only. A function decides for each recipient at RCPT. */
export type Behavior =
  'accept' | 'cut' | (Rejection & { at: 'rcpt' | 'data'; to?: string }) | ((to: string) => Rejection | undefined)

/** A real SMTP server that stores what it accepts. */
export async function startSmtpSink(
  onMail?: (mail: ReceivedMail) => void | Promise<void>,
  port = 0,
): Promise<SmtpSink> {
  const mails: ReceivedMail[] = []
  let behavior: Behavior = 'accept'
  let rejections = 0
  const rejection = (at: 'rcpt' | 'data', to?: string): Rejection | undefined => {
    if (typeof behavior === 'function') return to === undefined ? undefined : behavior(to)
    return typeof behavior === 'object' && behavior.at === at && (behavior.to ?? to) === to ? behavior : undefined
  }
  const refusal = (at: 'rcpt' | 'data', to?: string): Error | null => {
    const { code: responseCode, text } = rejection(at, to) ?? {}
    if (responseCode === undefined) return null
    rejections += 1
    return Object.assign(new Error(text), { responseCode })
  }

  async function receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk as Buffer)
    const error = refusal('data')
    if (error) throw error
    const [headers = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
    const { mailFrom, rcptTo } = session.envelope
    const mail: ReceivedMail = {
      from: mailFrom ? mailFrom.address : '',
      to: rcptTo.map((recipient) => recipient.address),
      headers,
      body: rest.join('\r\n\r\n'),
      at: new Date(),
    }
    mails.push(mail)
    rejections = 0
    await onMail?.(mail)
    return 'queued as test'
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, callback) => callback(refusal('rcpt', address)),
    onData(stream, session, callback) {
      if (behavior === 'cut') {
        rejections += 1
        stream.on('end', () => {
          for (const client of server.connections) client.close()
        })
        stream.resume()
        return
      }
      receive(stream, session).then(
        (answer) => callback(null, answer),
        (error: Error) => callback(error),
      )
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const bound = (server.server.address() as AddressInfo).port
  return {
    url: `smtp://127.0.0.1:${bound}`,
    port: bound,
    mails,
    rejections: () => rejections,
    behave(next) {
      behavior = next
    },
    close() {
      for (const client of server.connections) client.close()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
