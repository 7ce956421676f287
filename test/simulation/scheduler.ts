import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as immediately } from 'node:timers/promises'
import { Random } from '../faults/random.ts'

/** A process of the simulated instance. Killed, it never does anything again; what it waited for never comes. */
export interface Process {
  name: string
  alive: boolean
  /** Until when it is stopped, in virtual milliseconds: it does nothing, and everybody else goes on. */
  stalledUntil: number
}

/** What can go wrong at the moment something crosses a process's edge. */
export const FAULTS = [
  // The process is killed: what it asked for is not done, or it is, and nobody hears of it.
  'crash-before',
  'crash-after',
  // It is told that it failed, and it did; or it was done all the same.
  'fail-before',
  'fail-after',
  // The process is stopped for longer than anybody waits, and goes on as if nothing had been.
  'stall',
  'stall-after',
  // It is stopped for longer than Temporal waits for it, and goes on within its leases.
  'nap',
  'nap-after',
  // The way there, or back, takes some seconds.
  'slow',
  'slow-after',
] as const
export type Fault = (typeof FAULTS)[number]

/** Something that a process asks of the outside: a statement, a call to Temporal, a word to the mail server. */
export interface Action {
  process: Process
  what: string
  /** The faults that can meet it. */
  faults: readonly Fault[]
  run: () => Promise<unknown>
  /** What the process sees where it fails. */
  error: () => Error
  /** The session that a statement is for. */
  session?: object | undefined
  /** Whether it has left the process, and goes its way also where that is stopped. */
  isOut: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

export type Answer = { value: unknown } | { error: unknown }
/** What waits for a lock is answered later. */
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

/** Decides. The same decisions make the same run. */
export interface Decisions {
  /** Which of so many goes next. */
  next(count: number): number
  /** One of so many, each as likely as the others. */
  pick(count: number): number
  /** Whether and how this fails. */
  fault(what: string, possible: readonly Fault[]): Fault | undefined
}

const MINUTE = 60_000

/** When each run begins. */
export const BEGINNING = Date.parse('2026-01-01T00:00:00Z')

/** How long a stalled process is stopped, in virtual milliseconds: past every lease and every timeout. */
export const STALL_MS = 90_000

/** How long one that naps is stopped, in virtual milliseconds: less than a lease, and more than a task's time. */
const NAP_MS = 20_000

/** How long a slow way takes, in virtual milliseconds: less than any timeout. */
const SLOW_MS = 2_500

/** Steps of a run, at most. One without an end would take minutes; others take some hundreds. */
const MAX_STEPS = 10_000

/** So many turns of the loop without anything new, and a step is over. */
const QUIET_TURNS = 12

/** Counts the steps of all runs of this process. */
export const progress = { steps: 0 }

export const current = new AsyncLocalStorage<Process>()

/**
 * The one clock and the one order of things: of all that could happen next, one thing does, and then everything that follows
 * from it without asking anybody. Nothing happens at the same time, so that a run can be had again.
 */
export class Scheduler {
  now = BEGINNING
  /** What was done, in words: printed where it broke something. */
  readonly trace: string[] = []
  /** What went wrong. */
  readonly faults: { process: Process; what: string; fault: Fault }[] = []
  /** Counts the steps: of two things at the same instant it tells which was first. */
  step = 0
  readonly processes = new Set<Process>()
  onCrash: (process: Process) => void = () => undefined
  /** Asked after each step: a statement that waited for a lock may be answered now. @returns whether one was. */
  settleBlocked: () => Promise<boolean> = () => Promise.resolve(false)
  /** Things that the world offers to happen: a task for a worker, say. */
  offers: () => Offer[] = () => []
  private readonly actions: Action[] = []
  private timers = new Set<Timer>()
  private waiters: { step: number; resolve: () => void }[] = []
  private holds: { pattern: RegExp; reach: (by: Action) => void; isReached: boolean }[] = []
  private strikes: { session: object; pattern: RegExp; fault: Fault }[] = []
  private busy = 0
  /** Counts everything that somebody asked for: where it stands still, nobody will ask for more. */
  private stirred = 0
  private readonly decisions: Decisions

  constructor(decisions: Decisions) {
    this.decisions = decisions
  }

  process(name: string): Process {
    const process = { name, alive: true, stalledUntil: 0 }
    this.processes.add(process)
    return process
  }

  /** Asks the outside for something, as the process that runs. */
  ask<Result>(
    what: string,
    run: () => Promise<Result> | Result,
    { faults = [], error = () => new Error('it failed'), session, isOut = false }: AskOptions = {},
  ): Promise<Result> {
    const process = current.getStore()
    if (!process) throw new Error(`${what} is asked for by no process`)
    if (!process.alive) return new Promise(() => undefined)
    this.stirred += 1
    return new Promise<Result>((resolve, reject) => {
      this.actions.push({ process, what, faults, error, session, isOut, run: async () => run(), resolve, reject })
    })
  }

  /** Real work that is under way and belongs to the step that is being done. */
  async while<Result>(run: () => Promise<Result>): Promise<Result> {
    this.busy += 1
    try {
      return await run()
    } finally {
      this.busy -= 1
      this.stirred += 1
    }
  }

  after(milliseconds: number, run: () => void): Timer {
    this.stirred += 1
    const timer = { at: this.now + Math.max(0, milliseconds), process: current.getStore(), run }
    this.timers.add(timer)
    return timer
  }

  /**
   * Keeps everything that matches from being done until it is released: what a world does in between, it does at that instant.
   * @returns `reached` resolves to the first action that matches, when it is there to be done
   */
  hold(pattern: RegExp): { reached: Promise<Action>; release: () => void } {
    const { promise: reached, resolve: reach } = Promise.withResolvers<Action>()
    const held = { pattern, reach, isReached: false }
    this.holds.push(held)
    return { reached, release: () => void (this.holds = this.holds.filter((other) => other !== held)) }
  }

  /** Injects a fault into the next statement of an action's session that matches. */
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

  /** Tells those that hold something that it has come. @returns whether anybody was told */
  private tellOfHolds(): boolean {
    let isAny = false
    for (const hold of this.holds.filter(({ isReached }) => !isReached)) {
      const held = this.actions.find(({ what }) => hold.pattern.test(what))
      if (!held) continue
      hold.isReached = isAny = true
      hold.reach(held)
    }
    if (isAny) this.stirred += 1
    return isAny
  }

  /** Waits until so many more steps are done; or until there are none to do. */
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

  /** Stops a process for longer than anybody waits for it. */
  stall(process: Process): void {
    this.trace.push(`${this.stamp()} ${process.name} is stopped`)
    this.faults.push({ process, what: 'it is stopped', fault: 'stall' })
    this.stop(process, STALL_MS)
  }

  private stop(process: Process, milliseconds: number): void {
    process.stalledUntil = this.now + milliseconds
    this.after(milliseconds, () => undefined)
  }

  /** Runs until `done`, or until virtual time or the number of steps is up. @returns whether it was done. */
  async run(done: () => boolean | Promise<boolean>, minutes: number): Promise<boolean> {
    const end = this.now + minutes * MINUTE
    await this.drain()
    for (;;) {
      if (this.tellOfHolds()) {
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
        this.stirred += 1
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

  /** Tells the process, at once or so many milliseconds later; one that is stopped hears it when it goes on. */
  tell(action: Action, outcome: Answer, delayMs = 0): void {
    const tell = () => ('error' in outcome ? action.reject(outcome.error) : action.resolve(outcome.value))
    const late = Math.max(delayMs, action.process.stalledUntil - this.now)
    if (late <= 0) tell()
    else current.run(action.process, () => this.after(late, tell))
  }

  private answer(action: Action, outcome: Outcome, delayMs = 0): void {
    if (outcome !== 'later') this.tell(action, outcome, delayMs)
  }

  /** Does it. What waits for a lock answers later, by itself. */
  private async outcome(action: Action): Promise<Outcome> {
    const answer = action.run().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    return this.orLater(answer, action)
  }

  /** Overridden by the world: how long to wait for real work, and what to do with what does not come. */
  orLater: (answer: Promise<Answer>, action: Action) => Promise<Outcome> = (answer) => answer

  /** One of several things, each as likely as the others. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.decisions.pick(items.length)]!
  }

  /** One of several things that happen to be so, chosen like everything else. */
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

  /** Waits until all that follows from the last step without asking anybody has happened. */
  private async drain(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      const before = this.stirred
      await immediately()
      quiet = this.busy > 0 || this.stirred !== before ? 0 : quiet + 1
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
 * Decisions by a seed: mostly the next in line, sometimes another; and some things fail. Each seed has its own few kinds of
 * faults, and its own few things that they meet often; everything else fails seldom. So some seeds kill, others cut
 * connections, some strike the mail server and others one statement, which finds more than a little of everything.
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
 * Where the promise is kept or broken: around a hand-over (the claim, the words with the mail server, the record), and where
 * a delivery is settled.
 */
const HEART = /^mail |^SQL (with (automation|asked|campaign|given) as|update (messages|campaigns)|delete from outbox)/

/** How much may go wrong in one run. */
const MAX_FAULTS = 5

/** One deviation from the plain run: at a numbered point another one goes first, or a fault happens. */
export type Deviation = { at: number; next: number } | { at: number; fault: Fault }

/** The plain run with some deviations. What it meets is written down, so that the next ones can be made. */
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
