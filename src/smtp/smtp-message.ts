import { Readable } from 'node:stream'
import DKIM from 'nodemailer/lib/dkim'
import MailComposer from 'nodemailer/lib/mail-composer'
import { nextTurn } from './smtp-connections.ts'
import { isRefusal, type SmtpError } from './classify-response.ts'
import type { Email, SendHooks } from './transport.ts'

/** So much of a message flows before it is asked again whether it may. */
const PART_BYTES = 16_384

/** A message whose first byte flows when its server waits for it, and it may. */
export class Message {
  readonly raw: Buffer
  readonly handOver: SendHooks
  /**
   * Asked is whether it may flow; ended is what has wholly been given out. Cut and out of step is what ended before that, so
   * that its end has certainly not flowed.
   */
  state: 'waiting' | 'asked' | 'withdrawn' | 'begun' | 'ended' | 'cut' | 'out-of-step' = 'waiting'

  constructor(raw: Buffer, handOver: SendHooks) {
    this.raw = raw
    this.handOver = handOver
  }

  isOutOfStep(): boolean {
    return this.state === 'out-of-step'
  }

  /** Whether some of it may have flowed, and nothing says that its end has not. */
  hasFlowed(): boolean {
    return this.state === 'begun' || this.state === 'ended'
  }

  /**
   * @param mayBegin whether the server waits for it. nodemailer takes any 2xx for that, too: it would be the answer to what
   *   was asked before, and the go-ahead that comes late would be taken for the answer to the message.
   * @param stop ends the connection: a server drops what has no end (RFC 5321, section 4.1.1.4).
   * @param onBegin told that the message begins to flow.
   */
  stream(mayBegin: () => boolean, stop: () => void, onBegin: () => void): Readable {
    const flow = async function* (this: Message) {
      if (!mayBegin()) this.state = 'out-of-step'
      else this.state = 'asked'
      // What came together with the go-ahead is read in this turn.
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
   * Says that an answer came, or that none will come. One that comes before the end of the message is none to it, unless it
   * refuses: its end is kept back then, and it has certainly not been sent.
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
 * What a signature is over: what a recipient sees, and what her mail program acts upon (RFC 6376, section 5.4.1; RFC 8058,
 * section 4, of those for unsubscribing).
 */
const SIGNED =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:' +
  'List-Unsubscribe:List-Unsubscribe-Post'

/** One explicit recipient, so that no header decides who gets the message. */
export async function buildMime(email: Email): Promise<Buffer> {
  const { from, replyTo, to, messageId, subject, text, html, headers = {}, dkim } = email
  const raw = await new MailComposer({
    from,
    ...(replyTo !== undefined && { replyTo }),
    to: { name: '', address: to },
    messageId,
    subject,
    text: text ?? (html === null ? '' : undefined),
    html: html ?? undefined,
    // Prepared: an address in one is not folded, nor encoded.
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })) as never,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
  return dkim ? sign(raw, dkim) : raw
}

async function sign(raw: Buffer, { domain, selector, privateKey }: NonNullable<Email['dkim']>): Promise<Buffer> {
  const signer = new DKIM({ domainName: domain, keySelector: selector, privateKey, headerFieldNames: SIGNED })
  const chunks: Buffer[] = []
  for await (const chunk of signer.sign(raw)) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
