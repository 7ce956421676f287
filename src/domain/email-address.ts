import validator from 'validator'

/** Nearly all addresses there are. The library takes them, too, and ten times as long. */
const USUAL = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,}$/i

/**
 * Whether a text is an address that mail can be sent to: RFC 5321 lengths, a domain with a dot,
 * internationalised names allowed (RFC 6531).
 */
export const isEmailAddress = (text: string): boolean =>
  (text.length <= 64 && USUAL.test(text)) ||
  validator.default.isEmail(text, { allow_utf8_local_part: true, ignore_max_length: false })

/** The form in which two addresses of a workspace are compared: without case (design, section 10). */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase()
