/** Sentences for the replies of mail servers, by their enhanced status codes (RFC 3463 and its registry at IANA) and error codes of Node. */

/** Sentences by the detail of a status code, without its class. */
const DETAILS: Readonly<Record<string, string>> = {
  '1.0': 'Address does not exist',
  '1.1': 'Address does not exist',
  '1.2': 'Domain does not exist',
  '1.3': 'Address is not valid',
  '1.6': 'Mailbox has moved',
  '1.10': 'Domain accepts no email',
  '2.0': 'Mailbox cannot be used',
  '2.1': 'Mailbox is disabled',
  '2.2': 'Mailbox is full',
  '2.3': 'Email is too large for the mailbox',
  '3.2': 'Server is not accepting email now',
  '3.4': 'Email is too large',
  '4.1': 'Receiving server does not answer',
  '4.2': 'Connection to the receiving server was lost',
  '4.3': 'Domain cannot be looked up',
  '4.4': 'Domain cannot be delivered to',
  '4.5': 'Receiving server is busy',
  '4.7': 'Receiving server did not accept it in time',
  '7.0': 'Refused by the receiving server’s policy',
  '7.1': 'Refused by the receiving server’s policy',
  '7.8': 'Mail server rejected the sign-in',
  '7.23': 'SPF check failed',
  '7.25': 'Sending server has no valid reverse DNS',
  '7.26': 'SPF and DKIM checks failed',
  '7.27': 'Sender address accepts no email',
  '7.28': 'Receiving server reports too much mail',
}

const ERRORS: readonly [RegExp, string][] = [
  [/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/, 'Mail server cannot be reached'],
  [/ETIMEDOUT|timed? ?out/i, 'Mail server did not answer in time'],
  [/ENOTFOUND|EAI_AGAIN/, 'Name of the mail server cannot be looked up'],
  [/ECONNRESET|EPIPE|socket closed|closed unexpectedly/i, 'Mail server closed the connection'],
  [/certificate|self.signed|ERR_TLS/i, 'Certificate of the mail server is not valid'],
]

/** Explains a reply of a mail server in a few words. @returns `undefined` if it has no known code */
export function explainReply(reply: string): string | undefined {
  // Not a part of an IP address.
  const [, level, detail] = /(?<![\d.])([245])\.(\d{1,3}\.\d{1,3})(?![\d.])/.exec(reply) ?? []
  if (/^2\d\d\b/.test(reply)) return 'Accepted by the mail server'
  const isTemporary = level === '4'
  // A policy is also the reason to ask for another attempt, and Microsoft reports unknown addresses with 5.4.1.
  const isUnclear = isTemporary ? /^7\.[01]$/.test(detail ?? '') : /^4\./.test(detail ?? '')
  const known = detail === undefined || isUnclear ? undefined : DETAILS[detail]
  if (known !== undefined) return known
  if (/^535\b/.test(reply)) return 'Mail server rejected the sign-in'
  if (/^4\d\d\b/.test(reply)) return 'Mail server asks to try again later'
  if (/^5\d\d\b/.test(reply)) return 'Rejected by the mail server'
  return ERRORS.find(([pattern]) => pattern.test(reply))?.[1]
}
