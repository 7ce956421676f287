import ts from 'typescript'

/**
 * The text of an argument, and the call that determines it: the call itself, or a call of the function that passes the text on.
 */
export interface Evaluated {
  text: string
  call: ts.CallExpression
}

type Values = ReadonlyMap<ts.Symbol, string>

/** Stands for a value that is known only at runtime. */
const UNKNOWN = '?'

const MAX_DEPTH = 4

/** Counts the lines of a text that are not empty. */
export const linesOf = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length

/**
 * Returns a function that evaluates the possible texts of an argument.
 * @param take how to combine the alternatives of a condition: all of them, to find all names, or the longest one
 */
export function evaluator(
  checker: ts.TypeChecker,
  sources: readonly ts.SourceFile[],
  take: 'all' | 'longest',
): (call: ts.CallExpression, argument: ts.Expression) => Evaluated[] {
  const callers = new Map<ts.Symbol, ts.CallExpression[]>()
  const index = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const symbol = symbolOf(node.expression)
      if (symbol) callers.set(symbol, [...(callers.get(symbol) ?? []), node])
    }
    ts.forEachChild(node, index)
  }
  for (const source of sources) index(source)

  function symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = checker.getSymbolAtLocation(node)
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  const either = (texts: readonly string[]): string =>
    take === 'all' ? texts.join('\n') : (texts.toSorted((a, b) => linesOf(b) - linesOf(a))[0] ?? UNKNOWN)

  return (call, argument) => evaluateAt(call, argument, new Map(), 0)

  /** Evaluates an argument, once for each call of the enclosing function if it depends on the function's parameters. */
  function evaluateAt(call: ts.CallExpression, argument: ts.Expression, values: Values, depth: number): Evaluated[] {
    const missing = new Set<ts.Symbol>()
    const text = textOf(argument, values, missing, new Set())
    const owner = depth < MAX_DEPTH ? ownerOf(missing) : undefined
    const calls = (owner && callers.get(owner.symbol)) ?? []
    if (!owner || calls.length === 0) return [{ text, call }]
    return calls.flatMap((caller) => {
      const free = new Set<ts.Symbol>()
      const bound = bind(owner.declaration, caller, new Map(), free, new Set())
      const inner = textOf(argument, new Map([...values, ...bound]), new Set(), new Set())
      return [{ text: inner, call: caller }]
    })
  }

  function ownerOf(missing: ReadonlySet<ts.Symbol>) {
    for (const parameter of missing) {
      const declaration = parameter.valueDeclaration
      if (!declaration || !ts.isParameter(declaration)) continue
      const symbol = functionSymbol(declaration.parent)
      if (symbol) return { symbol, declaration: declaration.parent }
    }
    return undefined
  }

  function functionSymbol(node: ts.SignatureDeclaration): ts.Symbol | undefined {
    const named = ts.isVariableDeclaration(node.parent) ? node.parent.name : node.name
    return named && checker.getSymbolAtLocation(named)
  }

  function bind(
    declaration: ts.SignatureDeclaration,
    call: ts.CallExpression,
    values: Values,
    missing: Set<ts.Symbol>,
    seen: ReadonlySet<ts.Node>,
  ): Map<ts.Symbol, string> {
    const bound = new Map(values)
    declaration.parameters.forEach((parameter, n) => {
      const symbol = checker.getSymbolAtLocation(parameter.name)
      const given = call.arguments[n] ?? parameter.initializer
      if (symbol && given) bound.set(symbol, textOf(given, values, missing, seen))
    })
    return bound
  }

  function textOf(node: ts.Node, values: Values, missing: Set<ts.Symbol>, seen: ReadonlySet<ts.Node>): string {
    if (seen.has(node)) return UNKNOWN
    const inside = new Set([...seen, node])
    const of = (each: ts.Node, known = values): string => textOf(each, known, missing, inside)
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text
    if (ts.isTemplateExpression(node))
      return node.head.text + node.templateSpans.map((span) => of(span.expression) + span.literal.text).join('')
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    )
      return of(node.expression)
    if (ts.isConditionalExpression(node)) return either([of(node.whenTrue), of(node.whenFalse)])
    if (ts.isBinaryExpression(node)) {
      const isSum = node.operatorToken.kind === ts.SyntaxKind.PlusToken
      return isSum ? of(node.left) + of(node.right) : either([of(node.left), of(node.right)])
    }
    if (ts.isArrayLiteralExpression(node)) return node.elements.map((each) => of(each)).join(', ')
    if (ts.isSpreadElement(node)) return of(node.expression)
    if (ts.isObjectLiteralExpression(node))
      return node.properties.map((each) => (ts.isPropertyAssignment(each) ? of(each.initializer) : '')).join('\n')
    if (ts.isArrowFunction(node) || ts.isFunctionLike(node)) return bodyOf(node as ts.FunctionLikeDeclaration, of)
    if (ts.isCallExpression(node)) return callOf(node, values, missing, inside)
    if (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) return nameOf(node, values, missing, inside)
    if (ts.isElementAccessExpression(node)) return of(node.expression)
    return UNKNOWN
  }

  function nameOf(
    node: ts.PropertyAccessExpression | ts.Identifier,
    values: Values,
    missing: Set<ts.Symbol>,
    seen: ReadonlySet<ts.Node>,
  ): string {
    const symbol = symbolOf(ts.isIdentifier(node) ? node : node.name)
    if (!symbol) return UNKNOWN
    const value = values.get(symbol)
    if (value !== undefined) return value
    const declaration = symbol.valueDeclaration
    if (declaration && ts.isParameter(declaration)) missing.add(symbol)
    const initializer =
      declaration && (ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration))
        ? declaration.initializer
        : undefined
    return initializer ? textOf(initializer, values, missing, seen) : UNKNOWN
  }

  function callOf(
    node: ts.CallExpression,
    values: Values,
    missing: Set<ts.Symbol>,
    seen: ReadonlySet<ts.Node>,
  ): string {
    const declaration = declarationOf(node.expression)
    if (declaration) {
      const bound = bind(declaration, node, values, missing, seen)
      return textOf(declaration, bound, missing, seen)
    }
    // `names.map((name) => …).join()`: methods of a text hardly change its names.
    if (!ts.isPropertyAccessExpression(node.expression)) return UNKNOWN
    const [first] = node.arguments
    const isMapped = /^(map|flatMap)$/.test(node.expression.name.text)
    return textOf(isMapped && first ? first : node.expression.expression, values, missing, seen)
  }

  function declarationOf(callee: ts.Expression): ts.FunctionLikeDeclaration | undefined {
    const declaration = symbolOf(callee)?.valueDeclaration
    if (!declaration || declaration.getSourceFile().isDeclarationFile) return undefined
    if (ts.isFunctionDeclaration(declaration)) return declaration
    const value = ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined
    return value && (ts.isArrowFunction(value) || ts.isFunctionExpression(value)) ? value : undefined
  }

  /** All possible return values of a function. */
  function bodyOf(node: ts.FunctionLikeDeclaration, of: (each: ts.Node) => string): string {
    if (!node.body) return UNKNOWN
    if (!ts.isBlock(node.body)) return of(node.body)
    const returned: string[] = []
    const find = (each: ts.Node): void => {
      if (ts.isFunctionLike(each)) return
      if (ts.isReturnStatement(each) && each.expression) returned.push(of(each.expression))
      ts.forEachChild(each, find)
    }
    find(node.body)
    return either(returned)
  }
}
