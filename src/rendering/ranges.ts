/**
 * Ranges of LiquidJS, made safe: it counts up to the end of `(low..high)`, which beyond the safe integers is never reached, and an
 * array that grows for ever ends its process without a word about why.
 */
import { type Context, evalTokenValue, TokenKind, Tokenizer } from 'liquidjs'

/** A part of a template whose value is looked at before it is used: for LiquidJS, a value with filters. */
interface CheckedToken {
  kind: TokenKind.FilteredValue
  initial: { evaluate(context: Context): Generator<unknown, unknown, unknown>; postfix: [Token] }
  filters: []
}

interface RangeToken {
  kind: TokenKind
  lhs: Token
  rhs: Token
}
type Token = Parameters<typeof evalTokenValue>[0] | CheckedToken

const checked = (token: Token): CheckedToken => ({
  kind: TokenKind.FilteredValue,
  initial: {
    *evaluate(context) {
      const value: unknown = yield evalTokenValue(token as Parameters<typeof evalTokenValue>[0], context)
      if (Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER)
        throw new RangeError('counts with numbers that are too large for that')
      return value
    },
    // Whoever looks for variables finds them here.
    postfix: [token],
  },
  filters: [],
})

/** Has every range of every template in this thread checked. Called once. */
export function checkRanges(): void {
  const parser = Tokenizer.prototype as unknown as { readGroupOrRange(): RangeToken | undefined }
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its own `this`
  const read = parser.readGroupOrRange
  parser.readGroupOrRange = function (this: typeof parser) {
    const token = read.call(this)
    if (token?.kind === TokenKind.Range) {
      token.lhs = checked(token.lhs)
      token.rhs = checked(token.rhs)
    }
    return token
  }
}
