/** So many places of something scarce for each of those who share it: whoever wants more than are free gets those. */
export function createQuota(most: number) {
  const taken = new Map<string, number>()
  return {
    /** @returns how many of the places wanted were free, and are taken now. */
    take(owner: string, wanted: number): number {
      const has = taken.get(owner) ?? 0
      const got = Math.min(wanted, most - has)
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

export type Places = ReturnType<typeof createQuota>
