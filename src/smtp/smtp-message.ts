import { Readable } from 'node:stream'
import DKIM from 'nodemailer/lib/dkim'
import MailComposer from 'nodemailer/lib/mail-composer'
import { addressOf } from '../platform/email-address.ts'
import { nextTurn } from './smtp-connections.ts'
import { isRefusal, type SmtpError } from './classify-response.ts'
import type { Attachment, Email, SendHooks } from './transport.ts'

/** Bytes of a message between two checks that it may continue. */
const PART_BYTES = 16_384

/** A message whose transmission begins when the server is ready for it and `SendHooks.begin` allows it. */
export class Message {
  readonly raw: Buffer
  readonly handOver: SendHooks
  /**
   * `asked`: `begin` was called. `ended`: all bytes were written. `cut` and `out-of-step`: stopped before the end, so the end was
   * certainly not sent.
   */
  state: 'waiting' | 'asked' | 'withdrawn' | 'begun' | 'ended' | 'cut' | 'out-of-step' = 'waiting'

  constructor(raw: Buffer, handOver: SendHooks) {
    this.raw = raw
    this.handOver = handOver
  }

  isOutOfStep(): boolean {
    return this.state === 'out-of-step'
  }

  /** Checks whether the message may have been sent: transmission may have begun, and its end was not withheld. */
  hasFlowed(): boolean {
    return this.state === 'begun' || this.state === 'ended'
  }

  /**
   * Streams the message.
   *
   * @param mayBegin whether the server waits for the message (354). nodemailer also accepts any 2xx, which would be a late
   * response to an earlier command, and then takes the 354 for the response to the message.
   * @param stop ends the connection. A server discards a message without an end (RFC 5321, section 4.1.1.4).
   * @param onBegin called when transmission begins
   */
  stream(mayBegin: () => boolean, stop: () => void, onBegin: () => void): Readable {
    const flow = async function* (this: Message) {
      if (!mayBegin()) this.state = 'out-of-step'
      else this.state = 'asked'
      // Responses that arrived together with the 354 are read in this turn.
      await nextTurn()
      if (this.isOver()) await neverEnd()
      const may = await this.handOver.begin()
      if (this.isOver()) await neverEnd()
      if (!may) this.state = 'withdrawn'
      if (!may || this.handOver.breakOff?.aborted) await neverEnd()
      this.state = 'begun'
      onBegin()
      for (let at = 0; at < this.raw.length; at += PART_BYTES) {
        if (at > 0 && this.handOver.mayGoOn?.() === false) this.state = 'cut'
        if (this.isOver()) await neverEnd()
        yield this.raw.subarray(at, at + PART_BYTES)
      }
      if (this.isOver()) await neverEnd()
      this.state = 'ended'
    }
    // The stream neither ends nor fails: either would let nodemailer write the end of a message.
    const neverEnd = () => {
      stop()
      return new Promise(() => undefined)
    }
    return Readable.from(flow.call(this))
  }

  /**
   * Handles a response or a connection error. A response before the end of the message is out of step, unless it is a rejection.
   * In both cases the end is withheld, so the message was certainly not sent.
   */
  answered(error: SmtpError | null, stop: () => void): void {
    if (this.state !== 'asked' && this.state !== 'begun') return
    if (error && error.code !== 'EMESSAGE') return
    this.state = error && isRefusal(error) ? 'cut' : 'out-of-step'
    stop()
  }

  private isOver(): boolean {
    return this.state === 'cut' || this.state === 'out-of-step'
  }
}

/**
 * Signed headers: those that recipients see, or that mail clients and feedback loops act upon (RFC 6376, section 5.4.1; RFC 8058,
 * section 4, for one-click unsubscribe).
 */
const SIGNED =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:' +
  'List-Unsubscribe:List-Unsubscribe-Post:List-ID:Feedback-ID'

/** Builds the MIME message. The envelope has one explicit recipient, so no header can add others. */
export async function buildMime(email: Email): Promise<Buffer> {
  const { from, replyTo, to, messageId, subject, text, html, attachments = [], dkim } = email
  const { To: visibleTo, Cc: cc, 'Message-ID': ownMessageId, ...headers } = email.headers ?? {}
  const shown = attachments.length === 0 ? new Set<string>() : idsShownIn(html ?? '')
  const roles = Map.groupBy(attachments, (file) => roleOf(file, shown))
  const raw = await new MailComposer({
    from: mailboxIn(from),
    ...(replyTo !== undefined && { replyTo: mailboxIn(replyTo) }),
    to: visibleTo ?? { name: '', address: to },
    ...(cc !== undefined && { cc }),
    messageId: ownMessageId ?? messageId,
    subject,
    text: text ?? (html === null ? '' : undefined),
    html: html ?? undefined,
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: headerValue(key, value) })) as never,
    alternatives: (roles.get('alternative') ?? []).map(alternativeOf),
    attachments: [
      ...(roles.get('picture') ?? []).map((file) => ({
        ...partOf(file),
        cid: file.contentId!,
        contentDisposition: 'inline' as const,
      })),
      ...(roles.get('file') ?? []).map((file) => ({
        ...partOf(file),
        contentDisposition: file.disposition ?? ('attachment' as const),
        // Not as `cid`, which would put it among the pictures.
        ...(file.contentId !== null && { headers: { 'Content-ID': `<${file.contentId}>` } }),
      })),
    ],
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  return dkim ? sign(raw, dkim) : raw
}

/** A name and an address. As one text, nodemailer would read `a: b <x@y>` as a group. */
function mailboxIn(text: string): { name: string; address: string } {
  const address = addressOf(text)
  const name = text.endsWith('>') ? text.slice(0, text.lastIndexOf('<')).trim() : ''
  return { name: name.replace(/^"(.*)"$/s, '$1').replace(/\\(["\\])/g, '$1'), address }
}

const INVITATION = /^text\/calendar\s*;.*\bmethod=/i

/**
 * The role of a file. An invitation is an alternative to the text, so that mail clients show buttons to accept it (RFC 6047, section
 * 2.4). A file with a Content-ID is a picture only if the HTML shows it.
 */
function roleOf({ contentType, contentId, disposition }: Attachment, shown: ReadonlySet<string>) {
  if (INVITATION.test(contentType) && disposition !== 'attachment') return 'alternative'
  return contentId !== null && shown.has(contentId) ? 'picture' : 'file'
}

/** The Content-IDs to which HTML refers. A link encodes some characters (RFC 2392, section 2). */
const idsShownIn = (html: string): Set<string> =>
  new Set([...html.matchAll(/\bcid:([^"'\s>)]+)/gi)].flatMap(([, id]) => [id!, decoded(id!.replaceAll('&amp;', '&'))]))

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const partOf = ({ filename, contentType, content }: Attachment) => ({
  // Without a name, nodemailer would make one up.
  filename: filename === '' ? (false as const) : filename,
  contentType,
  content,
})

/** Without a disposition, which nodemailer adds for a filename: mail clients show a file instead of buttons then. */
const alternativeOf = ({ filename, contentType, content }: Attachment) => ({
  filename: false as const,
  contentType: filename === '' ? contentType : `${contentType}; name="${filename.replace(/["\\]/g, '')}"`,
  content,
})

/** `prepared`: nodemailer does not fold or encode the value. It always folds lists of Message-IDs. */
const headerValue = (name: string, value: string): string | { prepared: true; value: string } =>
  /^(?:references|in-reply-to)$/i.test(name) ? value : { prepared: true, value }

async function sign(raw: Buffer, { domain, selector, privateKey }: NonNullable<Email['dkim']>): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: SIGNED })
  const chunks: Buffer[] = []
  for await (const chunk of signer.sign(raw)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
