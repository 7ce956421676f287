/** Mail flood detected (IANA's registry of enhanced status codes). Without its class. */
const FLOOD = '7.28'
/** Words for a rate, in the responses of servers without that code. */
const WORDS =
  /\brates?\b|\bthrottl|too (?:many|much|fast|quick|often|frequent)|slow(?:er)? down|(?:messages?|e?mails|connections?) (?:per|limit)|limit exceeded/i
/** About the mailbox, so not about the rate: `4.2.2 Limit exceeded`. */
const OF_MAILBOX = /^[12]\./

/**
 * Whether a response says that the recipient's provider gets mail too fast: a temporary rejection of a recipient or a message.
 * @param detail the enhanced status code without its class; empty for none
 */
export const isTooFast = (code: number, detail: string, response: string): boolean =>
  code >= 400 && code < 500 && !OF_MAILBOX.test(detail) && (detail === FLOOD || WORDS.test(response))
