/** Advances this process's `performance.now` until the end of the test. */
export function aheadClock(): { setForward(milliseconds: number): void } {
  const now = performance.now.bind(performance)
  let ahead = 0
  beforeEach(() => {
    ahead = 0
    performance.now = () => now() + ahead
  })
  afterEach(() => {
    performance.now = now
  })
  return { setForward: (milliseconds) => void (ahead += milliseconds) }
}
