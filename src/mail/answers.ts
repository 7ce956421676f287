/** Whom a refusal is about: the one message or its recipient, or us (the login, the sender, the server itself). */
export type About = 'message' | 'us'

/** The server finds our commands out of order; it wants a login, or another one (RFC 4954, section 6). */
const ABOUT_US = [503, 530, 534, 535, 538]
/** The message is too long for the server, which it says of its announced size (RFC 1870, section 6.1). */
const TOO_LONG = 552

/** Whom a refusal is about. @param command what was refused */
export function aboutOf(command: string, refusal: string): About {
  const code = Number.parseInt(refusal)
  if (ABOUT_US.includes(code)) return 'us'
  return command === 'MAIL FROM' && code !== TOO_LONG ? 'us' : 'message'
}

/** The code of an answer, without its words, which can repeat an address. */
export const codesOf = (answer: string): string => /^\d+/.exec(answer)?.[0] ?? 'without a code'
