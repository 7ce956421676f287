import type { Delivery } from './transport.ts'

/** How long a circuit stays open before one message tries again, in milliseconds: doubled each time that fails. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 120_000

/** Decides when a circuit opens. */
export interface Failures {
  /** Told of each delivery, as it ends. */
  note(delivery: Delivery, turn: string): void
  /** Whether there have been enough of them. */
  readonly areEnough: boolean
}

/** What says something of the server, and not only of a message. */
export const isServersFailure = (delivery: Delivery): boolean =>
  delivery.kind === 'unknown' || (delivery.kind === 'not-sent' && delivery.serverFailed)

/**
 * A circuit for deliveries: while it is open, one at a time tries whether it can be closed. A library's would wait for the one
 * that tries for as long as a mail server may take, and has no way to be closed by an answer that comes after that.
 */
export class Circuit {
  private readonly failures: Failures
  private readonly onChange: (open: boolean, failure: string | undefined) => void
  private readonly trialMs: number
  /** Until when nobody tries, by the process's clock; `undefined` while it is closed. */
  private closedOff: number | undefined
  private pauseMs = FIRST_PAUSE_MS

  /**
   * @param onChange told when the circuit opens (`true`), with the failure that opened it, and when it is closed again.
   * @param trialMs how long one that tries keeps others from trying, unless it ends before.
   */
  constructor(failures: Failures, onChange: (open: boolean, failure: string | undefined) => void, trialMs = Infinity) {
    this.failures = failures
    this.onChange = onChange
    this.trialMs = trialMs
  }

  get isOpen(): boolean {
    return this.closedOff !== undefined
  }

  /** Whether a message may be delivered now: the circuit is closed, or it is time to try. */
  get mayTry(): boolean {
    return this.closedOff === undefined || performance.now() >= this.closedOff
  }

  /** Says that a delivery begins, which may be the one that tries. */
  begin(turn: string): Attempt {
    const isTrial = this.isOpen
    if (isTrial) this.closedOff = performance.now() + this.trialMs
    return {
      isTrial,
      ended: (delivery) => this.ended(delivery, turn, isTrial),
      saidNothing: () => {
        if (isTrial && this.isOpen) this.closedOff = performance.now()
      },
    }
  }

  private ended(delivery: Delivery, turn: string, isTrial: boolean): void {
    this.failures.note(delivery, turn)
    if (!isServersFailure(delivery)) this.close()
    else if (this.isOpen ? isTrial : this.failures.areEnough)
      this.open('failure' in delivery ? delivery.failure : undefined)
  }

  private open(failure: string | undefined): void {
    const wasOpen = this.isOpen
    this.closedOff = performance.now() + this.pauseMs
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS)
    if (!wasOpen) this.onChange(true, failure)
  }

  private close(): void {
    if (!this.isOpen) return
    this.closedOff = undefined
    this.pauseMs = FIRST_PAUSE_MS
    this.onChange(false, undefined)
  }
}

/** A delivery, as a circuit sees it. */
export interface Attempt {
  /** Whether it tries an open circuit. */
  readonly isTrial: boolean
  /** What came of it. */
  ended(delivery: Delivery): void
  /** It ended, and says nothing of what the circuit is about. */
  saidNothing(): void
}
