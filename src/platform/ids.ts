import { createHash, randomBytes } from 'node:crypto'
import { NIL, parse, v7, validate } from 'uuid'

/** A new time-ordered identifier (UUIDv7, RFC 9562 section 5.7). */
export const newId = (): string => v7({ random: randomBytes(16) })

/** The nil identifier, which sorts before all others and is never assigned (RFC 9562, section 5.9). */
export const NIL_ID: string = NIL

/** Returns whether a text has the form of an identifier. Any other text cannot be in the database, so it is "not found". */
export const isId = (text: string): boolean => validate(text)

/**
 * Parses an identifier in any case, without braces, spaces or `urn:uuid:`.
 * @returns the canonical form in lower case, or `undefined` if the text is not an identifier
 */
export const readId = (text: string): string | undefined => (isId(text) ? text.toLowerCase() : undefined)

/** Converts a text to the canonical form of an identifier. Any other text is returned unchanged and identifies nothing. */
export const normalizeId = (text: string): string => readId(text) ?? text

/** The 16 bytes of an identifier, for tokens and signatures. */
export const bytesOfId = (id: string): Buffer => Buffer.from(parse(id))

/** The identifier of 16 bytes. */
export const idOfBytes = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** An identifier that is always the same for the same values: a UUIDv8 of their hash (RFC 9562, section 5.8). */
export function idOfValues(...values: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(values)).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return idOfBytes(bytes)
}

/** Returns whether an identifier came from `idOfValues`: others that Dripline makes have another version. */
export const isOfValues = (id: string): boolean => id[14] === '8'
