/** Creates a function that runs tasks one after the other. */
export function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(run: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(run)
    last = mine.catch(() => undefined)
    return mine
  }
}
