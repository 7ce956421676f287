/** Reads a value inside of JSON by a dotted path: `order.total` of `{"order": {"total": 3}}`. @returns `undefined` if it is missing */
export function readPath(json: unknown, path: string): unknown {
  let value = json
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
