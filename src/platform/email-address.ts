import { domainToASCII, domainToUnicode } from 'node:url'
import validator from 'validator'
import { normalForm } from './normal-form.ts'

/** Matches nearly all addresses that exist. The library accepts them too, but takes ten times as long. */
const COMMON_ADDRESS = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}$/i

/**
 * Characters that are invisible or reorder others: soft hyphens, joiners, direction marks, controls, spaces. They turn one
 * address into two, or make one look like another.
 */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** The full stops of other scripts, which separate labels like the ASCII one (UTS #46, section 2.3). */
const FULL_STOPS = /[\u3002\uff0e\uff61]/g

/**
 * Quotation marks that word processors put around an address. No real address contains one, but address parsers accept them as
 * letters.
 */
const QUOTES = /[\p{Pi}\p{Pf}\u201a\u201e\u301d-\u301f\u275b-\u275e\uff02\uff07\u2032\u2033]/u

/** The characters of a domain: letters, their marks, digits and joining characters (approximately RFC 5892, section 2). */
const DOMAIN_CHARACTERS = /^[\p{L}\p{M}\p{N}\u00b7\u0375\u05f3\u05f4\u30fb.-]+$/u

/** Anything other than plain ASCII, or a punycode label. */
const INTERNATIONAL = /[^\x21-\x7e]|(?:^|\.)xn--/i

/**
 * Returns whether a text is an address that mail can be sent to: RFC 5321 lengths, a domain with a dot, internationalized names
 * allowed (RFC 6531). A quoted local part is rejected: hardly any mailbox has one, and programs write them differently.
 */
export function isEmailAddress(text: string): boolean {
  if (text.length <= 64 && COMMON_ADDRESS.test(text)) return true
  if (text.length > 1_000 || INVISIBLE.test(text) || text.startsWith('"')) return false
  const { local, domain } = split(text)
  if (local === undefined || isTooLong(domain) || QUOTES.test(local)) return false
  const ascii = INTERNATIONAL.test(domain) ? asciiDomain(domain) : domain
  return (
    ascii !== undefined &&
    validator.default.isEmail(`${local}@${ascii}`, { allow_utf8_local_part: true, ignore_max_length: false })
  )
}

/**
 * The form in which addresses of a workspace are compared: without case, and with the domain as UTS #46 reads it, because mail
 * goes to that domain: `a@b\u3002de` and `a@b.de` are one mailbox, and so are `a@ex\u00e4mple.de` and `a@xn--exmple-cua.de`. It
 * keeps the readable spelling, so that segments can search it.
 */
export function emailKey(email: string): string {
  const { local, domain } = split(email)
  const key = (text: string) => normalForm(text).toLowerCase()
  if (local === undefined || isTooLong(domain) || !INTERNATIONAL.test(domain)) return key(email)
  const unicode = domainToUnicode(domainToASCII(domain))
  return `${key(local)}@${unicode === '' ? key(domain) : unicode}`
}

const LABEL_ENDS = /[.\u3002\uff0e\uff61]/
/**
 * A label has at most 63 characters in ASCII. A character outside of ASCII has at most two units in JavaScript, and takes at
 * least one in punycode.
 */
const MAX_LABEL_LENGTH = 126

/**
 * Returns whether a domain is too long (RFC 1035, section 2.3.4). Its ASCII form would be longer still, and the conversion takes
 * time that grows with the square of a label's length.
 */
const isTooLong = (domain: string): boolean =>
  domain.length > 253 || domain.split(LABEL_ENDS).some((label) => normalForm(label).length > MAX_LABEL_LENGTH)

function split(text: string): { local: string | undefined; domain: string } {
  const at = text.lastIndexOf('@')
  return { local: at < 0 ? undefined : text.slice(0, at), domain: text.slice(at + 1) }
}

/** Converts a domain to ASCII, unless UTS #46 maps it to other letters: such a domain is a disguise. */
function asciiDomain(domain: string): string | undefined {
  const ascii = domainToASCII(domain)
  const plain = normalForm(domain.replace(FULL_STOPS, '.')).toLowerCase()
  const unicode = domainToUnicode(ascii)
  return ascii !== '' && (plain === ascii || plain === unicode) && DOMAIN_CHARACTERS.test(unicode) ? ascii : undefined
}

/**
 * Returns whether a text can be a sender: an address, or a name and an address, as `Name <address>`. Only a name in quotation marks
 * may contain an `@`, or the characters `<` and `>`.
 */
export const isMailbox = (text: string): boolean =>
  /^(?:(?:"(?:[^"\\\p{Cc}]|\\["\\])*"\s*|[^@<>\p{Cc}]*)<[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+>|[^\s@<>\p{Cc}]+@[^\s@<>\p{Cc}]+)$/u.test(
    text,
  )

/** The bare address of `Name <address>`. */
export const addressOf = (mailbox: string): string => /<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox.trim()

/** The address with its domain in ASCII (RFC 5891): without SMTPUTF8 (RFC 6531), servers understand no other form. */
export function toAsciiAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const given = address.slice(at + 1)
  const domain = isTooLong(given) ? '' : domainToASCII(given)
  return domain === '' ? address : `${address.slice(0, at)}@${domain}`
}

/** The form in which domains are compared: in ASCII and lower case, as in DNS, at most 255 characters. */
export const domainKey = (domain: string): string =>
  ((isTooLong(domain) ? '' : domainToASCII(domain)) || domain.toLowerCase()).slice(0, 255)

/** The domain of an address, or of `Name <address>`, in ASCII, as headers and DNS records need it. */
export const domainOf = (mailbox: string): string | undefined => toAsciiAddress(addressOf(mailbox)).split('@').at(1)

/**
 * Removes email addresses from a text and puts it on one line, for a log: responses of mail servers usually name the mailbox.
 * @param known an address that the text may contain in other forms, such as its local part alone
 */
export function withoutAddresses(text: string, known?: string): string {
  const line = normalForm(text).replace(UNSEEN, '').replace(/\s+/g, ' ')
  const bare = line.replace(ADDRESS_LIKE, '…')
  const local = known === undefined ? '' : normalForm(/^(.*)@/.exec(known)?.[1] ?? '')
  // Servers may also name a mailbox without its tag.
  const coded = Buffer.from(known ?? '')
    .toString('base64')
    .replace(/=+$/, '')
  const names = [coded, local, local.split('+')[0] ?? ''].filter((name) => name !== '')
  return names.reduce(
    (rest, name) =>
      rest.replace(new RegExp(`(?<![\\p{L}\\p{N}])${name.replace(SYNTAX, '\\$&')}(?![\\p{L}\\p{N}])`, 'giu'), '…'),
    bare,
  )
}

/** Matches from the beginning of a word, so that each word is scanned once. The at sign can be encoded. */
const ADDRESS_LIKE = /(?<![^\s<>"'()[\]:;,])(?:"[^"]*"|[^\s<>"'()[\]:;,]+)(?:[@＠]|[%=]40)[^\s<>"'()[\]:;,]+/giu
const UNSEEN = /\p{Cf}/gu
/** Characters with a meaning in a regular expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g
