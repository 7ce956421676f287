import type { BounceCategory, BounceKind } from './categories.ts'
import { addressIn, type Fields, nameIn, withoutComments } from './fields.ts'
import { isSameMailbox } from './same-mailbox.ts'
import { classifyBounce } from './verdict.ts'

/** The result of an email for one recipient, as a mail reports it. */
export interface Report {
  kind: BounceKind
  /** `null` for complaints. */
  category: BounceCategory | null
  status: string | null
  /** The other server's response, verbatim. */
  diagnostic: string | null
  /** The reported recipient, which may be an address that the mail was forwarded to, or `null`. */
  recipient: string | null
  /** All addresses in a report of free text. One of them is the recipient. */
  mentioned?: readonly string[]
}

/** The action of RFC 3464, and what other servers call it. */
const FAILURES = ['failed', 'failure', 'error', 'expired']

/** Reads a failed delivery from the fields of one recipient. Returns nothing for other actions. */
export function readFailure(fields: Fields, text: string): Report[] {
  const final = fields.get('final-recipient')
  const [original, address] = [addressIn(fields.get('original-recipient')), addressIn(final)]
  const recipient = original ?? address ?? nameIn(final)
  const status = fields.has('status') ? withoutComments(fields.get('status')!) : null
  // Some servers omit the action. Their status shows the failure.
  const action = fields.has('action')
    ? withoutComments(fields.get('action')!).toLowerCase()
    : status?.startsWith('5.') && 'failed'
  if (recipient === null || !FAILURES.includes(action || '')) return []
  // Some servers have a line of text instead of a diagnostic field.
  const line = text.split('\n').find((line) => line.startsWith(`${recipient}: `))
  const diagnostic = fields.get('diagnostic-code') ?? line?.slice(recipient.length + 2) ?? null
  const verdict = classifyBounce(status, diagnostic, text)
  // The mail was forwarded, possibly to several recipients, so a hard bounce of one of them counts as soft.
  const isPassedOn = original !== null && address !== null && !isSameMailbox(original, address)
  return [{ ...verdict, kind: isPassedOn && verdict.kind === 'HARD' ? 'SOFT' : verdict.kind, diagnostic, recipient }]
}
