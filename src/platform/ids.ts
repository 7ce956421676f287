import { randomBytes } from 'node:crypto'
import { NIL, parse, v7, validate } from 'uuid'

/** A new time-ordered identifier (UUIDv7, RFC 9562 section 5.7). */
export const newId = (): string => v7({ random: randomBytes(16) })

/** Before every identifier, and nobody's (RFC 9562, section 5.9). */
export const NIL_ID: string = NIL

/** Whether a text has the form of an identifier. What has not can't be in the database, so it is "not found". */
export const isId = (text: string): boolean => validate(text)

/**
 * Reads an identifier as somebody wrote it: any case, and nothing else: no braces, no spaces, no `urn:uuid:`.
 * @returns the one spelling in which identifiers are compared, in lower case; `undefined` where it is none.
 */
export const readId = (text: string): string | undefined => (isId(text) ? text.toLowerCase() : undefined)

/** The same for a text that may be no identifier, and then stays as it is: it names nothing there is. */
export const oneSpelling = (text: string): string => readId(text) ?? text

/** Its 16 bytes, as they are signed and told in tokens. */
export const bytesOfId = (id: string): Buffer => Buffer.from(parse(id))

/** The id that 16 bytes are of. */
export const idOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
