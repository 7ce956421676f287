export interface NamedTables {
  reads: Set<string>
  writes: Set<string>
}

/**
 * Finds the tables that an SQL text names. Sufficient for the SQL of this repository: names follow a keyword or a comma in
 * `from`, and a common table expression hides a table of the same name.
 */
export function parseSql(text: string, tables: { has(name: string): boolean }): NamedTables {
  const bare = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/'(?:[^']|'')*'/g, ' ? ')
    .toLowerCase()
  const hidden = new Set(
    [...bare.matchAll(/(\w+)(?:\s*\([^()]*\))?\s+as\s+(?:not\s+materialized\s+|materialized\s+)?\(/g)].map(
      ([, name]) => name!,
    ),
  )
  const isTable = (name: string | undefined): name is string =>
    name !== undefined && tables.has(name) && !hidden.has(name)

  const writes = new Set<string>()
  for (const [, name] of bare.matchAll(
    /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate|(?<!\b(?:for|key|do|of)\s+)update)\s+(?:only\s+)?(\w+)/g,
  ))
    if (isTable(name)) writes.add(name)

  const reads = new Set<string>()
  for (const [, name] of bare.matchAll(/(?<!delete\s+)\b(?:from|join|using)\s+(?:only\s+)?(\w+)/g))
    if (isTable(name)) reads.add(name)
  const lists = bare.matchAll(
    /\b(?:from|using)\s+([^()]*?)(?=[()]|\b(?:where|join|left|cross|inner|group|order|on|limit|for|union|set|returning|having)\b|$)/g,
  )
  for (const [, list] of lists)
    for (const item of list!.split(',').slice(1)) {
      const name = item.trim().split(/\s/)[0]
      if (isTable(name)) reads.add(name)
    }
  return { reads, writes }
}
