/** Checks whether a search parameter is one of these values. */
export const isOneOf = <Value extends string | number>(values: readonly Value[], value: unknown): value is Value =>
  values.includes(value as Value)
