import { v7, validate } from 'uuid'

/** A new time-ordered identifier (UUIDv7, RFC 9562 section 5.7). */
export const newId = (): string => v7()

/** Whether a text has the form of an identifier. What has not can't be in the database, so it is "not found". */
export const isId = (text: string): boolean => validate(text)
