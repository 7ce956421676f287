import { type Template, toValueSync, TypeGuards, Value } from 'liquidjs'
import type { UsedVariable } from './content.ts'

/** The maximum number of names that are kept, and the maximum length of one. */
const MAX_VARIABLES = 200
const MAX_NAME = 100
/** Tags that may have arguments without a value: conditions, and what is printed later, perhaps with a default. */
const OPTIONAL: readonly string[] = ['if', 'unless', 'case', 'assign']
/** Tags whose contents are not always printed. */
const CONDITIONAL: readonly string[] = ['if', 'unless', 'case', 'for', 'tablerow', 'capture']
/** Properties that LiquidJS adds to lists and texts. */
const ADDED: readonly string[] = ['size', 'first', 'last']

type Node = Template & { name?: string }

/**
 * Finds the variables of a template, without rendering it. A variable is required if the template prints it wherever it is rendered:
 * not only within a condition, and without the filter `default`.
 */
export function findUsedVariables(templates: readonly Template[]): UsedVariable[] {
  const isRequired = new Map<string, boolean>()
  const own = new Set<string>()
  for (const template of templates) visit(template, false)
  return [...isRequired]
    .filter(([name]) => !own.has(name.split('.', 1)[0]!))
    .slice(0, MAX_VARIABLES)
    .map(([name, required]) => ({ name: name.slice(0, MAX_NAME), isRequired: required }))

  function visit(node: Node, isConditional: boolean): void {
    const name = node.name ?? ''
    for (const argument of node.arguments?.() ?? []) readArgument(argument, isConditional || OPTIONAL.includes(name))
    for (const each of node.blockScope?.() ?? []) own.add(each)
    for (const { content } of node.localScope?.() ?? []) own.add(String(content))
    const children = node.children ? toValueSync<Template[]>(node.children(false, true)) : []
    for (const child of children) visit(child, isConditional || CONDITIONAL.includes(name))
  }

  function readArgument(argument: unknown, isConditional: boolean): void {
    if (!(argument instanceof Value)) return readToken(argument, isConditional)
    const isOptional = isConditional || argument.filters.some(({ name }) => name === 'default')
    for (const token of argument.initial.postfix) readToken(token, isOptional)
    for (const filter of argument.filters) for (const given of filter.args) readFilterArgument(given, isOptional)
  }

  /** An argument with a name is a pair. */
  function readFilterArgument(given: unknown, isOptional: boolean): void {
    readToken(Array.isArray(given) ? (given as unknown[])[1] : given, isOptional)
  }

  function readToken(token: unknown, isOptional: boolean): void {
    if (TypeGuards.isRangeToken(token)) {
      readToken(token.lhs, isOptional)
      readToken(token.rhs, isOptional)
    } else if (TypeGuards.isFilteredValueToken(token)) {
      for (const part of token.initial.postfix) readToken(part, isOptional)
    } else if (TypeGuards.isPropertyAccessToken(token)) {
      const name = token.variable === undefined ? nameOf(token.props) : undefined
      if (name !== undefined) isRequired.set(name, isRequired.get(name) === true || !isOptional)
      for (const prop of token.props) if (TypeGuards.isPropertyAccessToken(prop)) readToken(prop, isOptional)
    }
  }
}

/** The path as far as it is known: `data.items` for `data.items[0].name`, and for `data.items[data.n]`. */
function nameOf(props: readonly unknown[]): string | undefined {
  const names: string[] = []
  for (const prop of props as { content?: unknown }[]) {
    const { content } = prop
    // A key with a dot would look like two keys.
    if (typeof content !== 'string' || content.includes('.') || TypeGuards.isPropertyAccessToken(prop)) break
    if (names.length > 0 && ADDED.includes(content)) break
    names.push(content)
  }
  return names.length === 0 ? undefined : names.join('.')
}
