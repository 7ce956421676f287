/** Remembers what was valid lately, by a key: so many at most, and the one that was said longest ago goes first. */
export function createKnownLately<Value>(most: number) {
  const known = new Map<string, Value>()
  return {
    get: (key: string): Value | undefined => known.get(key),
    /** @param value `undefined`: it is not valid any more */
    say(key: string, value: Value | undefined): void {
      known.delete(key)
      if (value === undefined) return
      const [oldest] = known.keys()
      if (known.size >= most && oldest !== undefined) known.delete(oldest)
      known.set(key, value)
    },
  }
}
