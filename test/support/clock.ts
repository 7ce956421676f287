/** Sets the clock of this process's promises (`performance.now`) forward, until the test is over. */
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
