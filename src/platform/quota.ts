/** Gives each owner up to `max` units of a shared resource. A request for more than the free units gets only the free ones. */
export function createQuota(max: number) {
  const taken = new Map<string, number>()
  return {
    /** @returns how many of the requested units were free and are now taken */
    take(owner: string, wanted: number): number {
      const has = taken.get(owner) ?? 0
      const got = Math.min(wanted, max - has)
      if (got > 0) taken.set(owner, has + got)
      return got
    },
    returnQuota(owner: string, places: number): void {
      const left = (taken.get(owner) ?? 0) - places
      if (left > 0) taken.set(owner, left)
      else taken.delete(owner)
    },
  }
}
