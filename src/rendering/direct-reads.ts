/**
 * Reads values without LiquidJS's generators. LiquidJS runs seven of them for `{{ contact.email }}`, because any value could be a
 * promise. In Dripline none is, and the generators took half the time of an email with fifty sections.
 */
import { type Context, Expression } from 'liquidjs'

/** A part of an expression: `content` is a known value, and `props` is a path into the variables. */
interface Part {
  content?: unknown
  variable?: unknown
  props?: readonly Part[]
}
type Path = Part & { props: readonly Part[] }

/** Returns whether a part is a path such as `contact.metadata.plan`, not `contact[plan]` or `"plan".size`. */
function isPath({ props, variable }: Part): boolean {
  if (props === undefined || variable !== undefined) return false
  for (const prop of props) if (!('content' in prop)) return false
  return true
}

/** The methods of LiquidJS's context that are used here. */
interface Scopes {
  findScope(name: unknown): unknown
  readProperty(value: unknown, name: unknown): unknown
}

function readPath(scopes: Scopes, { props }: Path): unknown {
  let value = scopes.findScope(props[0]!.content)
  for (const { content } of props) value = scopes.readProperty(value, content)
  return value
}

/** Patches LiquidJS to read the paths of all templates in this thread directly. Must be called once. */
export function readDirectly(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its own `this`
  const { evaluate } = Expression.prototype as unknown as {
    evaluate(this: { postfix: readonly Part[] }, context: Context, lenient?: boolean): unknown
  }
  const direct = function (this: { postfix: readonly Part[] }, context: Context, lenient?: boolean): unknown {
    const scopes = context as unknown as Scopes
    const postfix = this.postfix.map((part) => (isPath(part) ? { content: readPath(scopes, part as Path) } : part))
    const [only] = postfix
    return postfix.length === 1 && 'content' in only! ? only.content : evaluate.call({ postfix }, context, lenient)
  }
  // The callers accept a value in place of a generator.
  Object.assign(Expression.prototype, { evaluate: direct })
}
