import { createTransport } from 'nodemailer'
import { isEmailAddress } from '../domain/email-address.ts'
import type { Delivery, Email, MailTransport } from './transport.ts'

export interface SmtpOptions {
  /** `smtp://user:password@host:port`, or `smtps://…` for TLS from the first byte. */
  url: string
  /** Connections at most. */
  maxConnections?: number
  /** Milliseconds without a sign of life from the server before a connection is given up. */
  timeoutMs?: number
}

/** The part of nodemailer's errors that tells how far the conversation got. */
interface SmtpError extends Error {
  code?: string
  responseCode?: number
  response?: string
}

/**
 * A pooled SMTP transport that knows whether a message can have reached the server.
 *
 * nodemailer tells a broken connection by the same error before and after the message has begun to flow. What tells
 * them apart is whether the message's stream was read, which is the test that nodemailer itself applies before it
 * sends a message again over another connection. Here a second stream for a message whose first one was read is
 * refused besides: whatever the pool decides, the same message never flows twice.
 */
export function createSmtpTransport({ url, maxConnections = 5, timeoutMs = 60_000 }: SmtpOptions): MailTransport {
  const pool = createTransport({
    url,
    pool: true,
    maxConnections,
    maxMessages: Infinity,
    connectionTimeout: Math.min(timeoutMs, 10_000),
    greetingTimeout: Math.min(timeoutMs, 10_000),
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

  pool.use('stream', (mail, done) => {
    const { flow } = mail.data as unknown as { flow: Flow }
    const create = mail.message.createReadStream.bind(mail.message)
    mail.message.createReadStream = (options) => {
      const stream = create(options)
      if (flow.begun()) stream.destroy(new Error('The message has been handed to a connection already'))
      else flow.begun = () => stream.readableDidRead
      return stream
    }
    done()
  })

  return {
    async deliver(email) {
      // nodemailer reads an envelope's address as a list: a comma or a line break in it would add recipients.
      if (!isEmailAddress(email.to)) return { kind: 'refused', reason: 'The address is not one email address' }
      const flow: Flow = { begun: () => false }
      try {
        const info = await pool.sendMail({ ...compose(email), flow } as ReturnType<typeof compose>)
        return { kind: 'taken', response: info.response }
      } catch (error) {
        return classify(error as SmtpError, flow.begun())
      }
    },
    close() {
      pool.close()
      return Promise.resolve()
    },
  }
}

interface Flow {
  /** Whether any of the message has been read towards the server. */
  begun: () => boolean
}

/** One explicit envelope, so that no header decides who gets the message. */
const compose = (email: Email) => ({
  envelope: { from: addressOf(email.from), to: [email.to] },
  from: email.from,
  to: { name: '', address: email.to },
  messageId: email.messageId,
  subject: email.subject,
  text: email.text ?? (email.html === null ? '' : undefined),
  html: email.html ?? undefined,
})

/** The bare address of `Name <address>`. */
export const addressOf = (mailbox: string): string => /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim()

/**
 * An answer of the server is final at any stage (RFC 5321, section 4.2.1); without one, it depends on the flow.
 * Only a 5xx about the envelope or the message refuses the message. One about the greeting or the login is about
 * us, and the message waits until the operator has mended that.
 */
function classify(error: SmtpError, begun: boolean): Delivery {
  const reason = error.response ?? error.message
  const { responseCode } = error
  const aboutMessage =
    (error.code === 'EENVELOPE' || error.code === 'EMESSAGE') && responseCode !== SERVICE_NOT_AVAILABLE
  if (responseCode === undefined && begun) return { kind: 'unknown', reason }
  if (aboutMessage && (responseCode ?? 500) >= 500) return { kind: 'refused', reason }
  return { kind: 'not-sent', reason, serverFailed: !aboutMessage }
}

/** The server closes, whatever it was asked at that moment (RFC 5321, section 4.2.3). */
const SERVICE_NOT_AVAILABLE = 421
