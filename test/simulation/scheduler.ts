import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as immediately } from 'node:timers/promises'
import { Random } from '../faults/random.ts'

/** A process of the simulated instance. After it is killed, it never does anything again, and gets no more answers. */
export interface Process {
  name: string
  alive: boolean
  /** Until when it is stopped, in virtual milliseconds. It does nothing, and all other processes continue. */
  stalledUntil: number
}

/** Faults that can happen when an action crosses the boundary of a process. */
export const FAULTS = [
  // The process is killed: its request is not carried out, or it is, but gets no answer.
  'crash-before',
  'crash-after',
  // The process gets an error, although the request was carried out; or it was not.
  'fail-before',
  'fail-after',
  // The process is stopped for longer than any timeout, and then continues as if nothing had happened.
  'stall',
  'stall-after',
  // It is stopped for longer than Temporal waits for it, and continues within its leases.
  'nap',
  'nap-after',
  // The request or its response takes a few seconds.
  'slow',
  'slow-after',
] as const
export type Fault = (typeof FAULTS)[number]

/** An external call of a process: a statement, a call to Temporal, an SMTP command. */
export interface Action {
  process: Process
  what: string
  /** The faults that can happen to it. */
  faults: readonly Fault[]
  run: () => Promise<unknown>
  /** The error that the process gets if it fails. */
  error: () => Error
  /** The session of a statement. */
  session?: object | undefined
  /** Whether it has left the process, and proceeds even if the process is stopped. */
  isOut: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

export type Answer = { value: unknown } | { error: unknown }
/** A statement that waits for a lock is answered later. */
type Outcome = Answer | 'later'

interface AskOptions {
  faults?: readonly Fault[]
  error?: () => Error
  session?: object
  isOut?: boolean
}

interface Timer {
  at: number
  process: Process | undefined
  run: () => void
}

/** Makes the choices of a run. The same choices make the same run. */
export interface Decisions {
  /** The index of the action that goes next, out of `count`. */
  next(count: number): number
  /** An index below `count`, uniformly distributed. */
  pick(count: number): number
  /** The fault of this action, if any. */
  fault(what: string, possible: readonly Fault[]): Fault | undefined
}

const MINUTE = 60_000

/** Virtual time at the start of each run. */
export const BEGINNING = Date.parse('2026-01-01T00:00:00Z')

/** Duration of a stall in virtual milliseconds: longer than every lease and every timeout. */
export const STALL_MS = 90_000

/** Duration of a nap in virtual milliseconds: shorter than a lease, and longer than the timeout of a task. */
const NAP_MS = 20_000

/** Duration of a slow call in virtual milliseconds: shorter than any timeout. */
const SLOW_MS = 2_500

/** Maximum number of steps of a run. An endless run would take minutes; normal ones take some hundreds of steps. */
const MAX_STEPS = 10_000

/** Number of idle turns of the event loop after which a step is complete. */
const QUIET_TURNS = 12

/** Counts the steps of all runs of this process. */
export const progress = { steps: 0 }

export const current = new AsyncLocalStorage<Process>()

/**
 * The only clock and the only order of events. Of all possible actions it carries out one, and then everything that follows from
 * it without an external call. Nothing happens at the same time, so that a run is reproducible.
 */
export class Scheduler {
  now = BEGINNING
  /** The steps as text, printed if the run fails. */
  readonly trace: string[] = []
  /** The faults that happened. */
  readonly faults: { process: Process; what: string; fault: Fault }[] = []
  /** Counts the steps, and so orders two events at the same instant. */
  step = 0
  readonly processes = new Set<Process>()
  onCrash: (process: Process) => void = () => undefined
  /** Runs after each step: a statement that waited for a lock may be answered now. @returns whether one was */
  settleBlocked: () => Promise<boolean> = () => Promise.resolve(false)
  /** Actions that the world offers, such as a task for a worker. */
  offers: () => Offer[] = () => []
  private readonly actions: Action[] = []
  private timers = new Set<Timer>()
  private waiters: { step: number; resolve: () => void }[] = []
  private holds: { pattern: RegExp; reach: (by: Action) => void; isReached: boolean }[] = []
  private strikes: { session: object; pattern: RegExp; fault: Fault }[] = []
  private busy = 0
  /** Counts all calls: if it stays the same, no more calls will come. */
  private calls = 0
  private readonly decisions: Decisions

  constructor(decisions: Decisions) {
    this.decisions = decisions
  }

  process(name: string): Process {
    const process = { name, alive: true, stalledUntil: 0 }
    this.processes.add(process)
    return process
  }

  /** Makes an external call of the current process. */
  ask<Result>(
    what: string,
    run: () => Promise<Result> | Result,
    { faults = [], error = () => new Error('it failed'), session, isOut = false }: AskOptions = {},
  ): Promise<Result> {
    const process = current.getStore()
    if (!process) throw new Error(`${what} is called outside of a process`)
    if (!process.alive) return new Promise(() => undefined)
    this.calls += 1
    return new Promise<Result>((resolve, reject) => {
      this.actions.push({ process, what, faults, error, session, isOut, run: async () => run(), resolve, reject })
    })
  }

  /** Runs real work that belongs to the current step. */
  async while<Result>(run: () => Promise<Result>): Promise<Result> {
    this.busy += 1
    try {
      return await run()
    } finally {
      this.busy -= 1
      this.calls += 1
    }
  }

  after(milliseconds: number, run: () => void): Timer {
    this.calls += 1
    const timer = { at: this.now + Math.max(0, milliseconds), process: current.getStore(), run }
    this.timers.add(timer)
    return timer
  }

  /**
   * Holds everything that matches until it is released: what a world does in between happens at that instant.
   * @returns `reached` resolves to the first matching action when it is ready
   */
  hold(pattern: RegExp): { reached: Promise<Action>; release: () => void } {
    const { promise: reached, resolve: reach } = Promise.withResolvers<Action>()
    const held = { pattern, reach, isReached: false }
    this.holds.push(held)
    return { reached, release: () => void (this.holds = this.holds.filter((other) => other !== held)) }
  }

  /** Injects a fault into the next matching statement of an action's session. */
  strike({ session }: Action, pattern: RegExp, fault: Fault): void {
    if (session) this.strikes.push({ session, pattern, fault })
  }

  private takeStrike({ session, what }: Action): Fault | undefined {
    const strike = this.strikes.find((other) => other.session === session && other.pattern.test(what))
    if (strike) this.strikes = this.strikes.filter((other) => other !== strike)
    return strike?.fault
  }

  private isHeld({ what }: Action): boolean {
    return this.holds.some(({ pattern }) => pattern.test(what))
  }

  /** Notifies the holds that an action has reached. @returns whether there was one */
  private notifyHolds(): boolean {
    let isAny = false
    for (const hold of this.holds.filter(({ isReached }) => !isReached)) {
      const held = this.actions.find(({ what }) => hold.pattern.test(what))
      if (!held) continue
      hold.isReached = isAny = true
      hold.reach(held)
    }
    if (isAny) this.calls += 1
    return isAny
  }

  /** Waits until `count` more steps are done, or until there are no steps left. */
  steps(count: number): Promise<void> {
    return new Promise((resolve) => this.waiters.push({ step: this.step + count, resolve }))
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve))
  }

  cancel(timer: Timer | undefined): void {
    if (timer) this.timers.delete(timer)
  }

  crash(process: Process): void {
    process.alive = false
    this.processes.delete(process)
    this.trace.push(`${this.stamp()} ${process.name} is killed`)
    for (const timer of [...this.timers]) if (timer.process === process) this.timers.delete(timer)
    this.onCrash(process)
  }

  /** Stops a process for longer than any timeout. */
  stall(process: Process): void {
    this.trace.push(`${this.stamp()} ${process.name} is stopped`)
    this.faults.push({ process, what: 'it is stopped', fault: 'stall' })
    this.stop(process, STALL_MS)
  }

  private stop(process: Process, milliseconds: number): void {
    process.stalledUntil = this.now + milliseconds
    this.after(milliseconds, () => undefined)
  }

  /** Runs until `done`, or until virtual time or the number of steps is up. @returns whether it was done */
  async run(done: () => boolean | Promise<boolean>, minutes: number): Promise<boolean> {
    const end = this.now + minutes * MINUTE
    await this.drain()
    for (;;) {
      if (this.notifyHolds()) {
        await this.settle()
        continue
      }
      const ready: Offer[] = [
        ...this.actions
          .filter(({ process, isOut }) => isOut || process.stalledUntil <= this.now)
          .filter((action) => !this.isHeld(action))
          .map((action) => ({ what: `${action.process.name}: ${action.what}`, run: () => this.perform(action) })),
        ...this.offers(),
      ]
      const isDue = ready.length === 0 ? () => true : ({ step }: { step: number }) => step <= this.step
      const due = this.waiters.filter(isDue)
      if (due.length > 0) {
        this.waiters = this.waiters.filter((waiter) => !due.includes(waiter))
        for (const { resolve } of due) resolve()
        this.calls += 1
        await this.settle()
        continue
      }
      if (ready.length > 0) {
        if (this.step === MAX_STEPS) return false
        this.step += 1
        progress.steps += 1
        await ready[this.decisions.next(ready.length)]!.run()
        await this.settle()
        continue
      }
      if (await done()) return true
      if (!this.advance(end)) return false
      await this.settle()
    }
  }

  private async settle(): Promise<void> {
    do await this.drain()
    while (await this.settleBlocked())
  }

  private async perform(action: Action): Promise<void> {
    this.actions.splice(this.actions.indexOf(action), 1)
    const { process } = action
    if (!process.alive) return
    const decided = action.faults.length > 0 ? this.decisions.fault(action.what, action.faults) : undefined
    const fault = this.takeStrike(action) ?? decided
    this.trace.push(`${this.stamp()} ${process.name}: ${action.what}${fault ? ` -- ${fault}` : ''}`)
    if (fault) this.faults.push({ process, what: action.what, fault })
    switch (fault) {
      case 'crash-before':
        return this.crash(process)
      case 'fail-before':
        return action.reject(action.error())
      case 'stall':
      case 'nap':
        this.stop(process, fault === 'nap' ? NAP_MS : STALL_MS)
        this.actions.push({ ...action, faults: [] })
        return
      case 'stall-after':
      case 'nap-after': {
        const outcome = await this.outcome(action)
        this.stop(process, fault === 'nap-after' ? NAP_MS : STALL_MS)
        return this.answer(action, outcome)
      }
      case 'slow':
        current.run(process, () => this.after(SLOW_MS, () => this.actions.push({ ...action, faults: [] })))
        return
      case 'slow-after':
        return this.answer(action, await this.outcome(action), SLOW_MS)
      case 'crash-after':
        await this.outcome(action)
        return this.crash(process)
      case 'fail-after':
        await this.outcome(action)
        return action.reject(action.error())
      case undefined:
        return this.answer(action, await this.outcome(action))
    }
  }

  /** Gives the outcome to the process, immediately or after a delay. A stopped process gets it when it continues. */
  tell(action: Action, outcome: Answer, delayMs = 0): void {
    const tell = () => ('error' in outcome ? action.reject(outcome.error) : action.resolve(outcome.value))
    const late = Math.max(delayMs, action.process.stalledUntil - this.now)
    if (late <= 0) tell()
    else current.run(action.process, () => this.after(late, tell))
  }

  private answer(action: Action, outcome: Outcome, delayMs = 0): void {
    if (outcome !== 'later') this.tell(action, outcome, delayMs)
  }

  /** Carries out an action. A statement that waits for a lock answers later. */
  private async outcome(action: Action): Promise<Outcome> {
    const answer = action.run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    return this.orLater(answer, action)
  }

  /** Overridden by the world: how long to wait for real work, and what to do if it does not finish. */
  orLater: (answer: Promise<Answer>, action: Action) => Promise<Outcome> = (answer) => answer

  /** Chooses one of several items, uniformly distributed. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.decisions.pick(items.length)]!
  }

  /** Chooses one of several items in the same way as the next action. */
  choose<Item>(items: readonly Item[]): Item {
    return items[this.decisions.next(items.length)]!
  }

  private advance(end: number): boolean {
    const [first] = [...this.timers]
      .map((timer) => ({ timer, at: Math.max(timer.at, timer.process?.stalledUntil ?? 0) }))
      .toSorted((a, b) => a.at - b.at)
    if (!first || first.at > end) return false
    this.now = Math.max(this.now, first.at)
    this.timers.delete(first.timer)
    const { process, run } = first.timer
    if (process && !process.alive) return true
    if (process) current.run(process, run)
    else current.exit(run)
    return true
  }

  /** Waits until everything that follows from the last step without an external call has happened. */
  private async drain(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      const before = this.calls
      await immediately()
      quiet = this.busy > 0 || this.calls !== before ? 0 : quiet + 1
    }
  }

  private stamp(): string {
    return new Date(this.now).toISOString().slice(11, 23)
  }
}

export interface Offer {
  what: string
  run: () => Promise<void> | void
}

/**
 * Decisions by a seed: mostly the next in line, sometimes another, and some calls fail. Each seed has its own few kinds of faults
 * and its own few calls that fail often; all others fail rarely. So some seeds kill processes, others cut connections, some
 * affect the mail server and others one statement. That finds more than a uniform distribution.
 */
export function seeded(seed: number): Decisions {
  const random = new Random(Math.imul(seed, 0x9e3779b1))
  const kinds: readonly Fault[] = random.next() < 0.4 ? [random.pick(FAULTS)] : FAULTS.filter(() => random.next() < 0.4)
  const chances = new Map<string, number>()
  const chanceOf = (what: string): number => {
    const known = chances.get(what)
    if (known !== undefined) return known
    const chance = random.next() < (HEART.test(what) ? 0.5 : 0.2) ? 0.35 : 0.01
    chances.set(what, chance)
    return chance
  }
  const disorder = random.pick([0.1, 0.5, 0.9])
  let left = 1 + Math.floor(random.next() * MAX_FAULTS)
  return {
    next: (count) => (count === 1 || random.next() > disorder ? 0 : Math.floor(random.next() * count)),
    pick: (count) => Math.floor(random.next() * count),
    fault(what, possible) {
      if (left === 0 || random.next() > chanceOf(what)) return undefined
      const own = possible.filter((fault) => kinds.includes(fault))
      if (own.length === 0) return undefined
      left -= 1
      return random.pick(own)
    },
  }
}

/**
 * Calls that decide whether the guarantees hold: those around a transmission (claim, SMTP, record) and those that finalize a
 * message.
 */
const HEART =
  /^mail |^webhook |^SQL (with (automation|asked|campaign|given) as|update (messages|campaigns)|delete from outbox)/

/** Maximum number of faults in one run. */
const MAX_FAULTS = 5

/** One deviation from the plain run: at a numbered point another action goes first, or a fault happens. */
export type Deviation = { at: number; next: number } | { at: number; fault: Fault }

/** The plain run with some deviations. It records its choices, so that the next deviations can be derived from them. */
export function planned(deviations: readonly Deviation[]) {
  let at = -1
  const met: { at: number; count: number; faults: readonly Fault[] }[] = []
  const find = () => deviations.find((deviation) => deviation.at === at)
  const next = (count: number) => {
    at += 1
    met.push({ at, count, faults: [] })
    const deviation = find()
    return deviation && 'next' in deviation ? Math.min(deviation.next, count - 1) : 0
  }
  const decisions: Decisions = {
    next,
    pick: next,
    fault(_what, possible) {
      at += 1
      met.push({ at, count: 1, faults: possible })
      const deviation = find()
      return deviation && 'fault' in deviation && possible.includes(deviation.fault) ? deviation.fault : undefined
    },
  }
  return { decisions, met }
}
