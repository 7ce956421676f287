/**
 * Makes LiquidJS's ranges safe. It counts up to the end of `(low..high)`, which is never reached beyond the safe integers, and
 * the growing array ends the process without a useful error.
 */
import { type Context, evalTokenValue, TokenKind, Tokenizer } from 'liquidjs'

/** A token whose value is checked before use. To LiquidJS it is a value with filters. */
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
        throw new RangeError('uses a range with numbers that are too large')
      return value
    },
    // The search for variables finds them here.
    postfix: [token],
  },
  filters: [],
})

/** Patches LiquidJS to check the ranges of all templates in this thread. Must be called once. */
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
