import type { Email } from 'postal-mime'
import { readGroups } from './fields.ts'
import { readFailure, type Report } from './read-failure.ts'
import { findReply, findStatus } from './smtp-reply.ts'
import { classifyBounce } from './verdict.ts'

interface TextMail {
  headers: Email['headers']
  text: string
  /** The returned message or its headers. */
  returned: string | undefined
  /** The sender is `<>`, as for every automatic response (RFC 3834). */
  isFromNobody: boolean
}

/** Begins the returned message: a ruler with a title, a sentence of the server, or header fields. */
const RETURNED =
  /^[ \t]*-{2,}.{0,80}\b(?:original|returned|copy|unsent|headers?)\b.*$|^.{0,60}\b(?:copy of (?:the|your)|headers?|original message)\b.{0,40}\b(?:follows?|following|below|headers?)\b.*$|^.{0,20}\bbelow\b.{0,20}\bcopy of\b.*$|^(?:Received|Return-Path|X-Received|DKIM-Signature) ?:/im
/** The server keeps trying. */
const DELAYED =
  /warning message only|this is a warning|not (?:yet )?(?:been )?delivered .{0,40}\bafter\b|still (?:trying|undelivered)|\bwill (?:be retried|retry|keep trying|continue)|temporary failure report|delay(?:ed|s)? (?:for|reason|\d)|has been delayed|do not need to re-?send/i
/** Senders of reports: the mail system, not a person. */
const MAIL_SYSTEM = /mailer.?daemon|post.?master|mail (?:delivery|deliver|system)|<>|^\s*$/i
const FAILED = /deliver|return|fail|error|reject/i
const ADDRESS = /[^\s<>()[\]:;,"'=]{1,64}@[\w.-]{1,255}\w/g
const MAX_MENTIONED = 20

/**
 * Reads a report in free text by its structure: an automatic mail that names an address and contains a server's reply or a status
 * code, or that the mail system wrote. Ignores delays and replies of people.
 */
export function readTextReport({ headers, text, returned, isFromNobody }: TextMail): Report[] {
  const header = (name: string): string => headers.find(({ key }) => key === name)?.value ?? ''
  const [explanation = ''] = text.replaceAll('\r\n', '\n').split(RETURNED, 1)
  const opening = `${header('subject')}\n${explanation}`
  const failed = header('x-failed-recipients').split(',', 1)[0]!.trim()
  const isAutomatic = isFromNobody || failed !== '' || /^auto-/i.test(header('auto-submitted').trim())
  if (!isAutomatic || /vacation/i.test(header('auto-submitted')) || DELAYED.test(opening)) return []
  // Some servers write the fields of a report into its text.
  const fields = readGroups(explanation).filter((group) => group.has('final-recipient'))
  if (fields.length > 0) return fields.flatMap((group) => readFailure(group, explanation))

  const named = explanation.match(ADDRESS) ?? []
  const mentioned = [...new Set([failed, ...named, ...recipientsOf(returned ?? text)])].filter((one) => one !== '')
  if (mentioned.length === 0) return []
  const diagnostic = findReply(explanation) ?? paragraphWithStatus(explanation)
  const isOfMailSystem =
    failed !== '' || returned !== undefined || (MAIL_SYSTEM.test(header('from')) && FAILED.test(opening))
  if (diagnostic === undefined && !isOfMailSystem) return []
  // The mail system explains the failure after the address.
  const from = named[0] === undefined ? 0 : explanation.indexOf(named[0])
  const paragraph = explanation.lastIndexOf('\n\n', from)
  const verdict = classifyBounce(null, diagnostic ?? null, explanation.slice(Math.max(paragraph, 0)))
  const recipient = failed || mentioned[0]!
  return [{ ...verdict, diagnostic: diagnostic ?? null, recipient, mentioned: mentioned.slice(0, MAX_MENTIONED) }]
}

const paragraphWithStatus = (text: string): string | undefined =>
  text.split(/\n\s*\n/).find((paragraph) => findStatus(paragraph) !== undefined)

/** Reads the recipients of the returned message. */
function recipientsOf(returned: string): string[] {
  const [, to = ''] = /^To:(.*)$/im.exec(returned) ?? []
  return to.match(ADDRESS) ?? []
}
