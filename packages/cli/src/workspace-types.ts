import type { Schemas } from '@dripline/client'

/** An email template, and the variables in it. */
export interface TemplateVariables {
  id: string
  name: string
  variables: readonly string[]
}

const TYPES: Record<string, string> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
  array: 'unknown[]',
}

/**
 * Writes a TypeScript module with the events and the templates of a workspace. With it, `dripline.events.send` accepts only these
 * events, with these properties.
 */
export function formatWorkspaceTypes(
  workspace: string,
  events: readonly Schemas['EventName'][],
  templates: readonly TemplateVariables[],
): string {
  return [
    `// The events and templates of the workspace ${literal(workspace)}. "dripline generate" writes this file.`,
    `import '@dripline/client'`,
    '',
    `declare module '@dripline/client' {`,
    '  /** Events by name, with the properties that were seen. */',
    '  interface WorkspaceEvents {',
    ...uniqueBy(events, ({ name }) => name).flatMap(({ name, properties }) => {
      if (properties.length === 0) return [`    ${literal(name)}: Record<string, unknown>`]
      const lines = properties.map(({ name, types }) => `      ${literal(name)}?: ${typeOf(types)}`)
      return [`    ${literal(name)}: {`, ...lines, '    }']
    }),
    '  }',
    '}',
    '',
    '/** IDs of email templates by name. */',
    'export const templates = {',
    ...uniqueBy(templates, ({ name }) => name).flatMap(({ id, name, variables }) => [
      ...(variables.length > 0 ? [`  /** Variables: ${variables.join(', ')}. */`] : []),
      `  ${literal(name)}: ${literal(id)},`,
    ]),
    '} as const',
    '',
    '/** Variables of email templates by name. */',
    'export interface TemplateVariables {',
    ...uniqueBy(templates, ({ name }) => name).map(
      ({ name, variables }) =>
        `  ${literal(name)}: ${variables.length > 0 ? variables.map(literal).join(' | ') : 'never'}`,
    ),
    '}',
    '',
  ].join('\n')
}

/** Writes a string literal. Line separators would end the line that it is on. */
const literal = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')}'`

function typeOf(types: readonly string[]): string {
  const names = types.map((type) => TYPES[type] ?? 'unknown')
  return names.length === 0 ? 'unknown' : [...new Set(names)].toSorted().join(' | ')
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const unique = new Map(items.map((item) => [keyOf(item), item]))
  return [...unique.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}
