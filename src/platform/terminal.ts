/**
 * What commands a terminal, or has it show other than what is there: control characters but the line's end (ECMA-48), and what
 * turns the direction of a text (Unicode, UAX #9). Much that is printed was written by others: a mail server, or who has a key.
 */
const COMMANDS = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--\n]/gv

/** A text as it may be shown on a terminal. */
export const forTerminal = (text: string): string => text.replace(COMMANDS, ' ')

/** JSON, of which a terminal shows what is in it, and does nothing. It is the same JSON. */
export const jsonForTerminal = (value: unknown): string =>
  JSON.stringify(value).replace(COMMANDS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
