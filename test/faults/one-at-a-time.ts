/** Runs what it is given one after the other, whoever gives it. */
export function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(run: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(run)
    last = mine.catch(() => undefined)
    return mine
  }
}
