/** Has things wait that together would weigh too much: each in the order in which it comes, and one that weighs more than all may alone. */
export function createWeights(most: number) {
  let held = 0
  const waiting: { weight: number; begin: () => void }[] = []
  const fits = (weight: number) => held === 0 || held + weight <= most
  const release = (weight: number) => {
    held -= weight
    for (let next = waiting[0]; next && fits(next.weight); next = waiting[0]) {
      waiting.shift()
      held += next.weight
      next.begin()
    }
  }
  return async function holding<Result>(weight: number, run: () => Promise<Result>): Promise<Result> {
    if (waiting.length === 0 && fits(weight)) held += weight
    else await new Promise<void>((begin) => waiting.push({ weight, begin }))
    try {
      return await run()
    } finally {
      release(weight)
    }
  }
}
