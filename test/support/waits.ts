import { waits, type Waits } from '../../src/platform/waits.ts'

/** The waits in a test process: no test should wait longer for the worker than for the fact it is about. */
const SHORT_WAITS: Partial<Waits> = {
  outboxIdle: 200,
  // A suite that leaves the circuit open must not delay the next one.
  failingMailServer: 4_000,
  campaignCheck: 2_000,
  reputationCheck: 2_000,
  leaving: 2_000,
  sweep: 2_000,
  requestLog: 50,
  lateEnrollments: 2_000,
}

/** Shortens the waits of this process. Processes that a test starts keep the real ones. */
export const shortenWaits = (): void => void Object.assign(waits, SHORT_WAITS)

/** Changes waits for the tests of a suite. A running relay keeps the pauses that it started with. */
export function withWaits(changed: Partial<Waits>): void {
  const earlier = { ...waits }
  before(() => void Object.assign(waits, changed))
  after(() => void Object.assign(waits, earlier))
}
