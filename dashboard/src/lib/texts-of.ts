/** The search parameters of these names that are texts and not empty. */
export const textsOf = <Name extends string>(
  given: Record<string, unknown>,
  ...names: readonly Name[]
): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.map((name) => [name, given[name]]).filter(([, value]) => typeof value === 'string' && value !== ''),
  ) as Partial<Record<Name, string>>
