import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Address } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { AuthenticateKey, Caller } from '../http/index.ts'
import type { Dependencies } from '../outbox/index.ts'
import { ApiError } from '../platform/api-error.ts'
import { newCall } from '../platform/call.ts'
import { emailKey, isEmailAddress } from '../platform/email-address.ts'
import { findJsonFault } from '../platform/json.ts'
import { idOfValues } from '../platform/ids.ts'
import { createBulkhead, type Bulkhead } from '../platform/bulkhead.ts'
import { JobEndedProcess, type JobProcess, JobTookTooLong } from '../platform/job-process.ts'
import { waits } from '../platform/waits.ts'
import { mailboxOf } from '../senders/index.ts'
import { type AttachmentInput, MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from './email.ts'
import { createMailParser, type ParsedMail } from './mail-parser.ts'
import { queueTogether } from './queue-emails.ts'
import type { SubmittedFile, SubmittedMail } from './submitted-mail.ts'
import { checkEmail, isAllowedHeader, isContentId, isContentType, MAX_FILENAME_LENGTH, MAX_HEADERS } from './schemas.ts'

const MAX_MAIL_BYTES = 15 * 1024 * 1024
const MAX_RECIPIENTS = 50
const MAX_CONNECTIONS = 100
/** Open connections from one address, so that one client does not take them all. */
const MAX_CONNECTIONS_FROM_ADDRESS = 20
const IDLE_MS = 60_000

export interface SubmissionOptions {
  port: number
  host: string
  /** Certificate and key in PEM. Without them, the connection is not encrypted. */
  tls: { cert: string; key: string } | undefined
}

export interface SubmissionServer {
  port: number
  close(): Promise<void>
}

/** A client that has authenticated. */
interface Client {
  key: string
  caller: Caller
  /** Until when, by `performance.now()`, an email needs no request of its own, because the client has just authenticated. */
  countedUntil: number
}

/**
 * Accepts transactional emails over SMTP (RFC 6409), for frameworks that speak SMTP. The password is an API key. Each recipient
 * gets an email of their own, with the same visible recipients. A mail that is repeated is not sent again.
 *
 * @throws {NodeJS.ErrnoException} if the port is in use or not permitted
 */
export async function listenForSubmissions(
  dependencies: Dependencies & { authenticateKey: AuthenticateKey },
  { port, host, tls }: SubmissionOptions,
): Promise<SubmissionServer> {
  const { log } = dependencies
  const parser = createMailParser()
  // Mails of one workspace delay those of another by one at most.
  const inTurn = createBulkhead(1)
  const clients = new WeakMap<SMTPServerSession, Client>()
  const connectionsFrom = new Map<string, number>()
  /** Ends connections whose client does not authenticate in time. */
  const deadlines = new Map<string, NodeJS.Timeout>()
  const server = new SMTPServer({
    // Not the machine's name.
    name: 'dripline',
    banner: 'Dripline',
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: tls === undefined,
    ...(tls ?? { disabledCommands: ['STARTTLS'] }),
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    maxClients: MAX_CONNECTIONS,
    socketTimeout: IDLE_MS,
    closeTimeout: 1_000,
    onConnect({ id, remoteAddress }, callback) {
      const open = (connectionsFrom.get(remoteAddress) ?? 0) + 1
      connectionsFrom.set(remoteAddress, open)
      const deadline = setTimeout(() => {
        for (const connection of server.connections) if (connection.session.id === id) connection.close()
      }, waits.submissionSignIn)
      deadlines.set(id, deadline.unref())
      if (open <= MAX_CONNECTIONS_FROM_ADDRESS) return callback()
      callback(smtpError(421, '4.7.0 Too many connections from your address. Please close one'))
    },
    onClose({ id, remoteAddress }) {
      const open = (connectionsFrom.get(remoteAddress) ?? 1) - 1
      if (open > 0) connectionsFrom.set(remoteAddress, open)
      else connectionsFrom.delete(remoteAddress)
      clearTimeout(deadlines.get(id))
      deadlines.delete(id)
    },
    onAuth({ username, password }, session, callback) {
      // Some frameworks require a user name: it can be anything, or the key.
      const key = (password?.startsWith('svc_') ? password : username) ?? ''
      settle(
        authenticate(dependencies, key, session).then((caller) => {
          clients.set(session, { key, caller, countedUntil: performance.now() + waits.submissionCounted })
          clearTimeout(deadlines.get(session.id))
          return { user: caller.workspace.id }
        }),
        callback,
      )
    },
    onRcptTo({ address }, { envelope }, callback) {
      if (envelope.rcptTo.length >= MAX_RECIPIENTS)
        return callback(smtpError(452, `4.5.3 Too many recipients: at most ${MAX_RECIPIENTS} for each mail`))
      if (!isEmailAddress(address)) return callback(smtpError(553, '5.1.3 Invalid email address'))
      callback()
    },
    onData(stream, session, callback) {
      settle(receive({ ...dependencies, parser, inTurn }, clients, stream, session), callback)
    },
  })
  /** Completes a command, or reports why it failed. An unknown error is temporary, and its text is not revealed. */
  function settle<Result>(work: Promise<Result>, callback: (error: Error | null, result?: Result) => void): void {
    work.then(
      (result) => callback(null, result),
      (error: Error & { responseCode?: number }) => {
        if (error.responseCode !== undefined) return callback(error)
        log.warn({ error }, 'An email could not be accepted over SMTP')
        callback(smtpError(451, '4.3.0 The email cannot be accepted now. Please try again'))
      },
    )
  }
  server.on('error', (error) => log.debug({ error: error.message }, 'A connection for submission broke'))
  server.listen(port, host)
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    async close() {
      await new Promise<void>((done) => server.close(() => done()))
      await parser.close()
    },
  }
}

const smtpError = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

/** Checks an API key and counts the request. @throws an SMTP error */
async function authenticate(
  { authenticateKey }: { authenticateKey: AuthenticateKey },
  key: string,
  { remoteAddress }: SMTPServerSession,
): Promise<Caller> {
  const { caller, rateLimit } = await authenticateKey(key, remoteAddress)
  if (!rateLimit.allowed)
    throw smtpError(454, `4.7.0 Too many requests. Please try again in ${rateLimit.retryAfter} seconds`)
  if (caller instanceof ApiError) throw smtpError(535, `5.7.8 ${caller.message}. The password is an API key`)
  if (!caller.scopes.includes('emails:send')) throw smtpError(535, '5.7.8 The API key needs the scope emails:send')
  return caller
}

/** Accepts a mail. @returns the response of the server */
async function receive(
  dependencies: Dependencies & {
    authenticateKey: AuthenticateKey
    parser: JobProcess<Uint8Array, ParsedMail>
    inTurn: Bulkhead
  },
  clients: WeakMap<SMTPServerSession, Client>,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<string> {
  const begunAt = performance.now()
  const raw = await readAll(stream)
  const client = clients.get(session)
  if (!client) throw smtpError(530, '5.7.0 Authentication required')
  // Each mail counts as a request. One that follows at once was counted when the client authenticated.
  if (begunAt > client.countedUntil) client.caller = await authenticate(dependencies, client.key, session)
  client.countedUntil = 0
  const { id: workspaceId } = client.caller.workspace
  const mail = await dependencies.inTurn(workspaceId, () => parse(dependencies.parser, raw))
  try {
    const content = contentOf(mail)
    const attachments = attachmentsOf(mail)
    const same = sameAs(mail, content, attachments)
    const to = session.envelope.rcptTo.map(({ address }) => address)
    const visible = visibleHeaders(mail, to)
    const emails = to.map((address) => {
      const input = checkEmail({ ...content, to: address })
      const headers = { ...input.headers, ...visible }
      return {
        id: idOfValues('submission', workspaceId, same, emailKey(address)),
        input: { ...input, headers, attachments },
      }
    })
    await queueTogether(dependencies, workspaceId, emails)
    return `2.0.0 Accepted as ${emails.map(({ id }) => id).join(' ')}`.slice(0, 400)
  } catch (error) {
    if (error instanceof ApiError) throw smtpError(550, `5.6.0 ${error.message}`)
    throw error
  }
}

/**
 * Identifies a mail, so that it is sent once if it is submitted again: by its Idempotency-Key, or by its Message-ID and its content,
 * because some programs use a Message-ID twice. Boundaries and dates do not matter: libraries change them for each attempt.
 */
function sameAs({ messageId, headers }: SubmittedMail, content: object, files: readonly AttachmentInput[]): string {
  const key = headers.find((header) => header.key === 'idempotency-key')?.value.trim()
  if (key) return `key ${key}`
  const id = messageId?.replace(/[<>\s]/g, '') ?? ''
  if (id === '') return newCall().id
  const hash = createHash('sha256').update(JSON.stringify([id, content]))
  for (const { content: bytes, ...file } of files) hash.update(JSON.stringify(file)).update(bytes)
  return hash.digest('hex')
}

/** The headers that the copies of a mail share: all its recipients except Bcc, and its Message-ID, which answers refer to. */
function visibleHeaders({ to = [], cc = [], messageId }: SubmittedMail, recipients: readonly string[]) {
  const list = (addresses: readonly Address[]) =>
    addresses
      .flatMap((address) => address.group ?? [address])
      .filter(({ address }) => isEmailAddress(address))
      .map(({ name, address }) => mailboxOf(spaced(name) || null, address))
      .join(', ')
  const [visibleTo, visibleCc] = [list(to), list(cc)]
  const id = MESSAGE_ID.exec(messageId ?? '')?.[1]
  const isAlone = recipients.length === 1 && visibleCc === '' && visibleTo === recipients[0]
  return {
    ...(!isAlone && visibleTo !== '' && { To: visibleTo }),
    ...(visibleCc !== '' && { Cc: visibleCc }),
    ...(id !== undefined && { 'Message-ID': `<${id}>` }),
  }
}

/** Also of programs that leave out the brackets. */
const MESSAGE_ID = /^<?([\x21-\x3b\x3d\x3f-\x7e]{1,900})>?$/

/** Types of mail that cannot be sent, because Dripline builds each mail again, and the reasons. */
const REFUSED: [type: RegExp, reason: string][] = [
  [
    /^(?:multipart\/(?:signed|encrypted)|application\/(?:x-)?pkcs7-mime)$/,
    'Signed or encrypted mail cannot be sent, because Dripline builds each mail again. Send it unsigned: Dripline signs it with DKIM',
  ],
  [
    /^multipart\/report$/,
    'Reports for programs, such as returned mail and read receipts, cannot be sent, because Dripline builds each mail again',
  ],
]

/** Parses a mail. @throws an SMTP error if it is malformed or too complex, or its texts cannot be stored */
async function parse(parser: JobProcess<Uint8Array, ParsedMail>, raw: Buffer): Promise<SubmittedMail> {
  const mail = await parser.run(raw).catch((error: unknown) => {
    // The server may be busy. A crafted mail fails again, and its client gives up.
    if (error instanceof JobTookTooLong)
      throw smtpError(451, '4.3.0 The mail takes too long to parse. Try again, or send a simpler one')
    if (error instanceof JobEndedProcess)
      throw smtpError(554, '5.6.0 The mail has too many parts or lines to be parsed')
    throw error
  })
  if ('fault' in mail) throw smtpError(550, `5.6.0 The mail cannot be read: ${mail.fault}`.slice(0, 400))
  for (const [type, reason] of REFUSED)
    if (mail.types.some((each) => type.test(each))) throw smtpError(550, `5.6.0 ${reason}`)
  const { subject, html, text } = mail
  const fault = findJsonFault({ subject, html, text })
  if (fault) throw smtpError(550, `5.6.0 ${fault}`)
  return mail
}

async function readAll(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (size <= MAX_MAIL_BYTES) chunks.push(chunk)
    size += chunk.length
  }
  if (stream.sizeExceeded) throw smtpError(552, '5.3.4 The mail is larger than 15 MB')
  return Buffer.concat(chunks)
}

/**
 * The fields of `POST /emails` that a mail contains, without its recipient and its attachments.
 * @throws an SMTP error if it has several authors or addresses for replies, or a header that would be lost
 */
function contentOf({ from, authors, replyTo = [], subject, html, text, headers }: SubmittedMail): object {
  const given = headers.map(({ key, originalKey = key, value }) => ({
    key,
    name: originalKey,
    value: headerOf(key, value),
  }))
  const lost = given.find(({ key, value }) => MEANT.test(key) && value !== '' && !isAllowedHeader(key, value))
  if (lost) throw smtpError(550, `5.6.0 ${lost.name} must be one line of at most 900 ASCII characters`)
  const allowed = new Map(given.filter(({ key, value }) => isAllowedHeader(key, value)).map((each) => [each.key, each]))
  // Headers with a meaning come before those of the application.
  const kept = [...allowed.values()]
    .toSorted((one, other) => Number(one.key.startsWith('x-')) - Number(other.key.startsWith('x-')))
    .slice(0, MAX_HEADERS)
  const [reply, ...moreReplies] = replyTo.flatMap((each) => each.group ?? [each])
  assertOneAddress(headers, 'From', authors)
  assertOneAddress(headers, 'Reply-To', 1 + moreReplies.length)
  return {
    subject: spaced(subject ?? '') || '(no subject)',
    ...(from?.address && { from: mailboxOf(spaced(from.name) || null, from.address) }),
    ...(reply?.address && { replyTo: mailboxOf(spaced(reply.name) || null, reply.address) }),
    ...(html !== undefined && { html }),
    ...((text !== undefined || html === undefined) && { text: text ?? '' }),
    headers: Object.fromEntries(kept.map(({ name, value }) => [name, value])),
  }
}

/** Headers without which mail clients would do something else. */
const MEANT = /^(?:list-|in-reply-to$|references$)/

/**
 * Checks that a header has one address at most.
 * @throws an SMTP error, also if no comma is between two addresses, of which one would be read as the name of the other
 */
function assertOneAddress(headers: SubmittedMail['headers'], name: string, count: number): void {
  const value = headers.find(({ key }) => key === name.toLowerCase())?.value ?? ''
  if (count > 1 || (!value.includes('<') && value.split('@').length > 2))
    throw smtpError(550, `5.6.0 ${name} must have one address`)
}

/** A tab may continue a line (RFC 5322, section 2.2.3). */
const spaced = (text: string): string => text.replaceAll('\t', ' ').trim()

/** The value of a header on one line. Some programs put commas between the IDs of a thread. */
const headerOf = (key: string, value: string): string =>
  key === 'references' || key === 'in-reply-to' ? messageIdsIn(value).join(' ') : spaced(value)

/** Some programs leave out the brackets. */
const messageIdsIn = (value: string): string[] =>
  value.match(/<[^<>\s]+>/g) ??
  value
    .split(/[\s,]+/)
    .filter((id) => /^[^<>]+@[^<>]+$/.test(id))
    .map((id) => `<${id}>`)

/** @throws an SMTP error if they are too large */
function attachmentsOf({ attachments }: SubmittedMail): AttachmentInput[] {
  const files = attachments.map(({ filename, contentId, disposition, content, ...type }): AttachmentInput => ({
    filename: nameOf(filename),
    contentType: typeOf(type),
    contentId: contentId === undefined ? undefined : readContentId(contentId),
    disposition: DISPOSITIONS.find((known) => known === disposition),
    content: typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer),
  }))
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
  if (files.length > MAX_ATTACHMENTS || bytes > MAX_ATTACHMENT_BYTES)
    throw smtpError(552, `5.3.4 At most ${MAX_ATTACHMENTS} attachments, and 10 MB in all`)
  return files
}

const DISPOSITIONS = ['attachment', 'inline'] as const

const MAX_TYPE_PARAMETERS = 10

/** A MIME type with its parameters, except the name of the file, which has a field of its own. */
function typeOf({ mimeType, parameters }: Pick<SubmittedFile, 'mimeType' | 'parameters'>): string {
  if (!isContentType(mimeType)) return 'application/octet-stream'
  const parts = Object.entries(parameters)
    .filter(([name]) => name !== 'name' && name !== 'boundary')
    .map(([name, value]) => `; ${name}=${/^[\w.:/+-]+$/.test(value) ? value : `"${value}"`}`)
    .filter((part) => isContentType(mimeType + part))
  return `${mimeType}${parts.slice(0, MAX_TYPE_PARAMETERS).join('')}`
}

/** A name without a path that `POST /emails` would accept; empty if there is none. */
const nameOf = (given: string | null): string =>
  (given ?? '')
    .split(/[/\\]/)
    .at(-1)!
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .slice(0, MAX_FILENAME_LENGTH)
    .toWellFormed()

/** A Content-ID without its brackets; `undefined` if it is not one that `POST /emails` would accept. */
function readContentId(given: string): string | undefined {
  const id = given.replace(/^<|>$/g, '')
  return isContentId(id) ? id : undefined
}
