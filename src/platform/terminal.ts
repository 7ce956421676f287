/**
 * Characters that control a terminal or make it show something else: control characters except the line feed (ECMA-48), and
 * bidirectional controls (Unicode, UAX #9). Much of the output comes from outside, such as from a mail server or the owner of a
 * key.
 */
const COMMANDS = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--\n]/gv

/** Makes a text safe to print on a terminal. */
export const forTerminal = (text: string): string => text.replace(COMMANDS, ' ')

/** Formats JSON that is safe to print on a terminal, and parses to the same value. */
export const jsonForTerminal = (value: unknown): string =>
  JSON.stringify(value).replace(COMMANDS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
