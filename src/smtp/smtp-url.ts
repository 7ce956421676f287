import { isIP } from 'node:net'
import type { SMTPConnectionAuth, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { parseConnectionUrl } from 'nodemailer/lib/shared'

export interface SmtpServer {
  options: SMTPConnectionOptions
  auth: SMTPConnectionAuth | undefined
}

/**
 * Parses the URL of a mail server: `smtp://user:password@host:port`, or `smtps://…` for implicit TLS. A password is sent over TLS
 * only: if the server does not offer STARTTLS, or an attacker removed the offer, the connection ends before the login. Exceptions
 * are a server on this machine, and a URL with `?requireTLS=false`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8314#section-4 for why opportunistic TLS is not enough
 */
export function readSmtpUrl(url: string): SmtpServer {
  const { auth, ...options } = parseConnectionUrl(url) as SMTPConnectionOptions & { auth?: SMTPConnectionAuth }
  const requireTLS = auth !== undefined && !options.secure && !isLoopback(options.host ?? 'localhost')
  return { options: { requireTLS, ...options }, auth }
}

/** Checks whether the mail server is on this machine. */
export const isOnThisMachine = ({ options: { host = 'localhost' } }: SmtpServer): boolean => isLoopback(host)

/** Checks whether the mail server is on this machine, or has a name without a domain, such as a container that captures mail. */
export const isLocal = (server: SmtpServer): boolean => {
  const { host = 'localhost' } = server.options
  return isOnThisMachine(server) || (isIP(host) === 0 && !host.includes('.'))
}

/** Formats the server as `host:port`, without credentials. */
export function addressOfServer({ options: { host = 'localhost', port, secure } }: SmtpServer): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port ?? (secure ? 465 : 587)}`
}

/**
 * Lists patterns of the credentials to remove from texts: user, password, and both as encoded for PLAIN (RFC 4616) and LOGIN. The
 * longest come first, so that a text that contains another one is removed as a whole.
 */
export function secretsOf({ auth }: SmtpServer): RegExp[] {
  const { user, pass, coded } = loginOf(auth)
  const anywhere = [...coded, pass].filter((text) => text !== '').toSorted((a, b) => b.length - a.length)
  const all = anywhere.map((text) => new RegExp(literally(text), 'gu'))
  // Match the user name as a whole word only, because it may be as short as one letter.
  return user === '' ? all : [...all, new RegExp(`(?<![\\p{L}\\p{N}])${literally(user)}(?![\\p{L}\\p{N}])`, 'giu')]
}

function loginOf(auth: SMTPConnectionAuth | undefined): { user: string; pass: string; coded: string[] } {
  const { user = '', pass = '' } = (auth ?? {}) as { user?: string; pass?: string }
  const plain = user === '' ? [] : [`\0${user}\0${pass}`, `${user}\0${user}\0${pass}`]
  return { user, pass, coded: [...plain, user, pass].map((text) => Buffer.from(text).toString('base64')) }
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Suggests a fix for a failed connection. @param failure error of the server or the connection */
export const adviceFor = (failure: string): string =>
  /certificate/i.test(failure)
    ? 'If you run your own certificate authority, set NODE_EXTRA_CA_CERTS to its file.'
    : 'Check SMTP_URL.'
