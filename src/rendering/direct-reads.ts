/**
 * Reading values without LiquidJS's generators: it goes through seven of them for `{{ contact.email }}`, because somewhere a value
 * could be a promise. There are none here, and they took half of the time that an email of fifty sections takes.
 */
import { type Context, Expression } from 'liquidjs'

/** What an expression is made of: `content` is a value that is known, and `props` lead to one in the variables. */
interface Part {
  content?: unknown
  variable?: unknown
  props?: readonly Part[]
}
type Place = Part & { props: readonly Part[] }

/** Whether it is `contact.metadata.plan`, and neither `contact[plan]` nor `"plan".size`. */
function isPlace({ props, variable }: Part): boolean {
  if (props === undefined || variable !== undefined) return false
  for (const prop of props) if (!('content' in prop)) return false
  return true
}

/** What of LiquidJS's context is its own. */
interface Scopes {
  findScope(name: unknown): unknown
  readProperty(value: unknown, name: unknown): unknown
}

function readPlace(scopes: Scopes, { props }: Place): unknown {
  let value = scopes.findScope(props[0]!.content)
  for (const { content } of props) value = scopes.readProperty(value, content)
  return value
}

/** Has the places of every expression of every template in this thread read directly. Called once. */
export function readDirectly(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its own `this`
  const { evaluate } = Expression.prototype as unknown as {
    evaluate(this: { postfix: readonly Part[] }, context: Context, lenient?: boolean): unknown
  }
  const direct = function (this: { postfix: readonly Part[] }, context: Context, lenient?: boolean): unknown {
    const scopes = context as unknown as Scopes
    const postfix = this.postfix.map((part) => (isPlace(part) ? { content: readPlace(scopes, part as Place) } : part))
    const [only] = postfix
    return postfix.length === 1 && 'content' in only! ? only.content : evaluate.call({ postfix }, context, lenient)
  }
  // Whoever evaluates takes a value as well as a generator that would lead to it.
  Object.assign(Expression.prototype, { evaluate: direct })
}
