import validator from 'validator'

/**
 * Whether a text is an address that mail can be sent to: RFC 5321 lengths, a domain with a dot,
 * internationalised names allowed (RFC 6531).
 */
export const isEmailAddress = (text: string): boolean =>
  validator.default.isEmail(text, { allow_utf8_local_part: true, ignore_max_length: false })

/** The form in which two addresses of a workspace are compared: without case (design, section 10). */
export const emailKey = (email: string): string => email.normalize('NFC').toLowerCase()
