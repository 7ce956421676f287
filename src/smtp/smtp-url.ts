import { isIP } from 'node:net'
import type { SMTPConnectionAuth, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { parseConnectionUrl } from 'nodemailer/lib/shared'

export interface SmtpServer {
  options: SMTPConnectionOptions
  auth: SMTPConnectionAuth | undefined
}

/**
 * Reads where mail is handed over: `smtp://user:password@host:port`, or `smtps://…` for TLS from the first byte. A password
 * goes over TLS or not at all: where a server does not offer STARTTLS, or somebody between took the offer away, the
 * connection ends before the login. Only a server on this machine is trusted as it is, and one that the URL says so of, with
 * `?requireTLS=false`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8314#section-4 why the opportunistic way is not enough
 */
export function readSmtpUrl(url: string): SmtpServer {
  const { auth, ...options } = parseConnectionUrl(url) as SMTPConnectionOptions & { auth?: SMTPConnectionAuth }
  const requireTLS = auth !== undefined && !options.secure && !isLoopback(options.host ?? 'localhost')
  return { options: { requireTLS, ...options }, auth }
}

/** Whether what is handed over there stays on this machine at first. */
export const isOnThisMachine = ({ options: { host = 'localhost' } }: SmtpServer): boolean => isLoopback(host)

/** Where it is, `host:port`, and nothing of the login: for people. */
export function addressOfServer({ options: { host = 'localhost', port, secure } }: SmtpServer): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port ?? (secure ? 465 : 587)}`
}

/**
 * What must be told to nobody of a login: who, with what, and both as they go over the line (RFC 4616; LOGIN's are each by
 * itself). The longest first: what holds another one is to go as a whole.
 */
export function secretsOf({ auth }: SmtpServer): RegExp[] {
  const { user, pass, coded } = loginOf(auth)
  const anywhere = [...coded, pass].filter((text) => text !== '').toSorted((a, b) => b.length - a.length)
  const all = anywhere.map((text) => new RegExp(literally(text), 'gu'))
  // A name can be a word, such as "user", or a letter of other ones.
  return user === '' ? all : [...all, new RegExp(`(?<![\\p{L}\\p{N}])${literally(user)}(?![\\p{L}\\p{N}])`, 'gu')]
}

function loginOf(auth: SMTPConnectionAuth | undefined): { user: string; pass: string; coded: string[] } {
  const { user = '', pass = '' } = (auth ?? {}) as { user?: string; pass?: string }
  const plain = user === '' ? [] : [`\0${user}\0${pass}`, `${user}\0${user}\0${pass}`]
  return { user, pass, coded: [...plain, user, pass].map((text) => Buffer.from(text).toString('base64')) }
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** What to look at where a server does not let us in. @param failure what it, or its connection, said */
export const adviceFor = (failure: string): string =>
  /certificate/i.test(failure)
    ? 'Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it, if that is one of your own.'
    : 'Is SMTP_URL right?'
