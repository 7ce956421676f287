import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  metricMeter,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import {
  type Arrival,
  clockSignal,
  type DueStep,
  wakeSignal,
  describeStep,
  type Effect,
  type EndStatus,
  ENGINE_VERSION,
  type EnrollmentInput,
  type EnrollmentResult,
  enterSignal,
  type Entry,
  type MachineEvent,
  INITIAL_STATE,
  leaveSignal,
  moveSignal,
  type MachineState,
  nextTransition,
  positionOf,
  skipSignal,
  stateQuery,
  type StepOutline,
  stopOfWait,
  successorOf,
} from '../src/automation-engine/index.ts'
import {
  beginEnrollment,
  bringForward,
  finishEnrollment,
  moveEnrollment,
  recordProcessedEvents,
  runStep,
  sendEmail,
} from './activities.ts'
import { describeProgress } from './details.ts'
import { isHistoryLong } from './history.ts'
import { publishedWaits, publishStatus, publishWait } from './search-attributes.ts'

/** Maximum number of received entries kept in memory until they are stored in the database. */
const MAX_CARRIED = 500

/**
 * One contact in one automation, from the first step to the last, no matter how long that takes. The workflow's start creates the
 * enrollment; the database follows. The machine (src/automation-engine/machine.ts) decides what happens when. The workflow
 * carries out its effects, and reports their results to it.
 */
export async function enrollment(input: EnrollmentInput): Promise<EnrollmentResult> {
  const run = new Run(input)
  const begun = await run.begin()
  const result = begun && (await run.drive(begun))
  if (result) return result
  // This run had nothing to do: its start was a duplicate, or the enrollment had ended. Continue with an entry that was received
  // in the meantime.
  const [entry, ...received] = callsFirst(run.received)
  if (!entry) return { status: 'NOT_ENROLLED' }
  return run.reenter(entry, received)
}

interface Begun {
  automationName: string
  steps: StepOutline[]
  /** Absent in histories of Dripline 0.3. */
  version?: number
  clockAhead?: number
}

class Run {
  readonly input: EnrollmentInput
  /**
   * Entries received and not stored in the database yet. The handlers only record and wake. They are set before anything is
   * awaited.
   */
  received: Entry[]
  private receivedCount: number
  /** IDs and deduplication keys of these entries and the run's own. A set, because thousands can arrive at once. */
  private readonly known = new Set<string>()
  private state: MachineState
  private steps: readonly StepOutline[] = []
  /** The version of the steps. */
  private version: number | undefined
  /** Whether the enrollment can move to a newer version. */
  private isMoving: boolean
  private automationName = ''
  private hasBegun = false
  /** Effects of the machine that have not started yet. */
  private todo: Effect[] = []
  /** The cancellation, if the workflow was cancelled. Temporal must show it as cancelled. */
  private cancellation: Error | undefined
  private endedBy: 'STEPS' | 'RULE' = 'STEPS'
  /** The last step before which a request ended the wait. */
  private skipped: DueStep | undefined
  /** Milliseconds by which the clock of the test workspace is ahead, and by which the waits have followed it. */
  private clockAhead = 0
  private followed: number
  /** Whether an entry reported that the database has another enrollment than this one, or none. */
  private doubted = false

  constructor(input: EnrollmentInput) {
    this.input = input
    this.state = input.progress?.state ?? INITIAL_STATE
    this.received = [...(input.progress?.received ?? [])]
    this.receivedCount = input.progress?.receivedCount ?? 0
    this.followed = input.progress?.clockAhead ?? input.clockAhead ?? 0
    this.skipped = input.progress?.skipped
    this.isMoving = input.progress?.isMoving ?? false
    for (const entry of [input, ...this.received]) this.know(entry)
    setHandler(enterSignal, (entry) => this.receive(entry))
    // A run that has not begun has no steps, and nothing is in flight: everything it does comes after the change.
    setHandler(wakeSignal, () => {
      if (this.hasBegun) this.feed({ kind: 'changed' })
    })
    // A run that has not begun finds the end in the database.
    setHandler(leaveSignal, ({ enrollmentId, status }) => {
      if (!this.hasBegun || enrollmentId !== this.input.enrollmentId) return
      this.endedBy = 'RULE'
      this.feed({ kind: 'exit', status })
    })
    setHandler(skipSignal, (due) => {
      if (due.enrollmentId === this.input.enrollmentId) this.skipped = due
    })
    setHandler(moveSignal, ({ enrollmentId, version }) => {
      if (enrollmentId === this.input.enrollmentId && version >= (this.version ?? 0)) this.isMoving = true
    })
    setHandler(clockSignal, ({ clockAhead }) => {
      this.clockAhead = Math.max(this.clockAhead, clockAhead)
    })
    setHandler(stateQuery, () => ({
      position: positionOf(this.steps, this.state),
      paused: this.state.paused,
      wakeAt: this.state.wakeAt,
      receivedCount: this.receivedCount,
    }))
  }

  /** @returns `null` if there is nothing to do: see `beginEnrollment` */
  async begin(): Promise<Begun | null> {
    try {
      return await this.listed()
    } catch (error) {
      if (!isCancellation(error)) throw error
      // Cancelled before it began. The row may exist, because the starter also writes it.
      this.cancellation = error as Error
      // If a request ended the enrollment and the contact was enrolled again after its response, the database has this one as
      // ended. The new entry starts another enrollment.
      if (await this.isOver()) return null
      await this.finish('CANCELLED')
      throw error
    }
  }

  /** @returns `null` if the enrollment has ended in the database, although it has not reached its end here */
  async drive({ automationName, steps, version, clockAhead = 0 }: Begun): Promise<EnrollmentResult | null> {
    this.automationName = automationName
    this.steps = steps
    const before = this.input.progress?.version ?? version
    // An earlier run has moved, and its result was lost. After a restore, the database can also have an older version.
    this.version = version === undefined || before === undefined ? version : Math.min(before, version)
    if (this.version !== version) this.isMoving = true
    this.clockAhead = Math.max(this.clockAhead, clockAhead)
    this.hasBegun = true
    this.feed({ kind: 'begun', resumeAfter: this.input.resumeAfter })
    for (let effect = this.todo.shift(); effect; effect = this.todo.shift()) {
      // Check first: entries received before the end are recorded as processed, and would be lost if the enrollment has ended
      // already.
      if (await this.isOver()) return null
      if (effect.do === 'end') return this.finish(effect.status)
      try {
        // Only effects that a new run starts again. It would never see the others, nor an end after them.
        if (effect.do === 'send' || effect.do === 'run' || effect.do === 'wait') {
          if (isHistoryLong()) await this.continueInNewRun()
          if (this.isMoving && (await this.move())) continue
        }
        if (this.received.length > MAX_CARRIED) await this.remember()
        await this.carryOut(effect)
      } catch (error) {
        if (!isCancellation(error)) throw error
        this.cancellation = error as Error
        // An end that it has already reached must still be recorded.
        this.todo = this.todo.filter((each) => each.do === 'end')
        this.feed({ kind: 'exit' })
      }
    }
    throw new Error('The machine has nothing to do and has not ended')
  }

  /** Starts an enrollment for another entry, in a new run, with the remaining entries. */
  reenter({ enrollmentId, dedupKey, triggerEventId, resumeAfter }: Entry, received: Entry[]): Promise<never> {
    const { instanceId, workspaceId, automationId, contactId, concurrencyKey } = this.input
    const enrolledAt = new Date(Date.now()).toISOString()
    const entry = { enrollmentId, dedupKey, triggerEventId, enrolledAt }
    const moved = Math.max(this.clockAhead, this.followed)
    const progress = { state: INITIAL_STATE, received, receivedCount: this.receivedCount }
    const input = {
      engine: ENGINE_VERSION,
      instanceId,
      workspaceId,
      automationId,
      contactId,
      ...(concurrencyKey && { concurrencyKey }),
      ...entry,
      ...(moved && { clockAhead: moved }),
      ...(resumeAfter && { resumeAfter }),
      progress,
    }
    // Published search attributes carry over to the new run, and that one is not paused.
    if (this.state.paused) publishStatus('ACTIVE')
    // A cancellation applies to the run that it reached, and not to the next enrollment.
    return CancellationScope.nonCancellable(() => handOver(input, { ...entry }))
  }

  /**
   * Records the enrollment in the database, if it is not recorded yet. @returns `null` if there is nothing (or nothing left) to
   * do
   */
  private async listed(): Promise<Begun | null> {
    const { doubted } = this
    this.doubted = false
    try {
      return await beginEnrollment(this.input)
    } catch (error) {
      // Without a response, the doubt remains.
      this.doubted ||= doubted
      throw error
    }
  }

  /** Checks whether the enrollment has ended in the database, if an entry reported that. */
  private async isOver(): Promise<boolean> {
    while (this.doubted) if (!(await CancellationScope.nonCancellable(() => this.listed()))) return true
    return false
  }

  private receive({ databaseHas, ...entry }: Arrival): void {
    const own = this.input.enrollmentId
    // A signal-with-start also delivers the entry by which the workflow was started, and a delivery can arrive twice.
    if (databaseHas !== undefined && databaseHas !== own && entry.enrollmentId !== own) this.doubted = true
    if (namesOf(entry).some((name) => this.known.has(name))) return
    this.know(entry)
    this.received.push(entry)
    this.receivedCount += 1
  }

  private know(entry: Entry): void {
    for (const name of namesOf(entry)) this.known.add(name)
  }

  private feed(happening: MachineEvent): void {
    const { state, effects } = nextTransition(this.steps, this.state, happening, Date.now())
    this.state = state
    this.todo.push(...effects)
  }

  private async carryOut(effect: Exclude<Effect, { do: 'end' }>): Promise<void> {
    const { instanceId, enrollmentId, workspaceId, automationId } = this.input
    switch (effect.do) {
      case 'send': {
        this.reach(effect.stepId)
        this.show()
        const key = { instanceId, enrollmentId, workspaceId, automationId, stepId: effect.stepId }
        const { next: as, finalAt: at } = await sendEmail(key)
        this.feed({ kind: 'email-settled', stepId: effect.stepId, as, at })
        return
      }
      case 'run': {
        this.reach(effect.stepId)
        this.show()
        const { stepId } = effect
        const { type } = this.steps[positionOf(this.steps, { stepId })]!
        const clockAhead = this.followed ? { clockAhead: this.followed } : {}
        const step = { instanceId, enrollmentId, workspaceId, automationId, stepId, now: Date.now(), ...clockAhead }
        this.feed({ kind: 'step-ran', stepId, result: await runStep(type, step) })
        return
      }
      case 'wait':
        this.show()
        return this.pause(effect.until)
      case 'publish':
        return publishStatus(effect.paused ? 'PAUSED' : 'ACTIVE')
      case 'announce':
        if (publishedWaits(this.steps).has(effect.position)) {
          publishWait(describeStep(this.steps, successorOf(this.steps, effect.position)), new Date(effect.until))
        }
    }
  }

  /** Waits until a timer fires, the machine has an effect to carry out, or the history is long. This is the only wait. */
  private async pause(until: number | null): Promise<void> {
    const isEarlier = () => until !== null && this.earlier(until) < until
    const over = () =>
      this.todo.length > 0 ||
      this.doubted ||
      this.isMoving ||
      isEarlier() ||
      isHistoryLong() ||
      this.received.length > MAX_CARRIED
    const summary = describeStep(this.steps, positionOf(this.steps, this.state))
    for (;;) {
      if (until !== null && isEarlier()) return this.bringForward(until)
      const rest = until === null ? null : until - Date.now()
      const isOver =
        rest === null ? await condition(over).then(() => true) : rest > 0 && (await condition(over, rest, { summary }))
      // While it was paused, time passed, also by the test clock.
      if (until === null) this.followed = Math.max(this.followed, this.clockAhead)
      if (this.todo.length > 0) return
      if (this.doubted || this.isMoving) return void this.todo.push({ do: 'wait', until })
      if (isEarlier()) continue
      if (until !== null && !isOver) {
        timerLag().record(Math.max(0, Date.now() - until))
        return this.feed({ kind: 'woken' })
      }
      if (isHistoryLong()) return this.continueInNewRun()
      await this.remember()
    }
  }

  /**
   * Returns when the present wait ends, if a request skips it or the test clock has moved. A clock that moved further than the end
   * also shortens the next waits, so that a whole sequence follows.
   */
  private earlier(until: number): number {
    const { skipped } = this
    if (!skipped && this.clockAhead <= this.followed) return until
    // Pauses before another attempt take their time, or a moved clock would repeat it without a pause.
    const isAttempt = this.state.waitingFor === 'retry' && this.present.type !== 'WAIT_FOR_EVENT'
    const rest = isAttempt ? 0 : until - Date.now()
    const skippedTo = skipped?.stepId === stopOfWait(this.steps, this.state) ? Math.max(skipped.at, Date.now()) : until
    return Math.min(until, skippedTo, until - Math.min(rest, this.clockAhead - this.followed))
  }

  private get present(): StepOutline {
    return this.steps[positionOf(this.steps, this.state)]!
  }

  /** A skip ends the waits before a step, and not those of the step itself. */
  private reach(stepId: string): void {
    if (this.skipped?.stepId === stepId) this.skipped = undefined
  }

  private async bringForward(until: number): Promise<void> {
    const earlier = this.earlier(until)
    this.followed += Math.min(until - earlier, this.clockAhead - this.followed)
    const { instanceId, enrollmentId } = this.input
    await bringForward({ instanceId, enrollmentId, stepId: this.state.stepId!, until: earlier })
    // Ignored if another event has ended the wait in the meantime.
    this.feed({ kind: 'brought-forward', until: earlier })
  }

  /**
   * Moves to a newer version, instead of carrying out the present effect: the new version starts one for the same step, or another one.
   *
   * @returns whether there are new effects
   */
  private async move(): Promise<boolean> {
    // Only a new run of an enrollment that an earlier version of Dripline started knows its version.
    if (this.version === undefined) return this.continueInNewRun()
    const { instanceId, enrollmentId, automationId, contactId } = this.input
    const { state, version: from } = this
    this.isMoving = false
    const result = await moveEnrollment({
      ...{ instanceId, enrollmentId, automationId, contactId },
      ...{ from, state, now: Date.now() },
    })
    // It has ended in the meantime.
    if (this.state.waitingFor === 'nothing') return true
    if (result === null) return false
    const isChanged = this.state !== state
    this.todo = []
    if (result.kind === 'ended') this.feed({ kind: 'exit', status: result.status })
    else {
      this.steps = result.steps
      this.version = result.version
      this.feed({ kind: 'moved', to: result.state })
      // The activity may or may not have seen it.
      if (isChanged) this.feed({ kind: 'changed' })
    }
    return true
  }

  /** Stores the received entries in the database, so that the run need not carry them. */
  private async remember(): Promise<void> {
    const received = this.received.length
    await recordProcessedEvents(this.idsAndHeard())
    this.received.splice(0, received)
  }

  /**
   * Records the end, and the entries received until then. Entries that arrive during that were sent after the contact was free
   * again, and so were API calls, which check before they signal. Each of them starts an enrollment, even if this run was
   * cancelled.
   */
  private async finish(status: EndStatus): Promise<EnrollmentResult> {
    const received = this.received.length
    this.show()
    const { enrollmentId, dedupKey, enrolledAt, concurrencyKey } = this.input
    const by = this.cancellation ? 'CANCELLATION' : this.endedBy
    const recorded = await CancellationScope.nonCancellable(() =>
      finishEnrollment({
        ...this.idsAndHeard(),
        ...{ enrollmentId, dedupKey, enrolledAt, status, by },
        ...(concurrencyKey && { concurrencyKey }),
      }),
    )
    const late = this.received.filter(({ triggerEventId }, n) => n >= received || triggerEventId === null)
    const [entry, ...rest] = callsFirst(late)
    if (entry) return this.reenter(entry, rest)
    if (this.cancellation !== undefined) throw this.cancellation
    return { status: recorded === undefined || recorded === 'ACTIVE' ? status : recorded }
  }

  /** Nothing may be awaited in between: Temporal does not complete a run that has not seen all its events. */
  private continueInNewRun(): Promise<never> {
    const { received, receivedCount, state, skipped, isMoving, version } = this
    const moved = { ...(this.followed && { clockAhead: this.followed }), ...(skipped && { skipped }) }
    const versions = { ...(isMoving && { isMoving }), ...(version !== undefined && { version }) }
    const progress = { state, received, receivedCount, ...moved, ...versions }
    return handOver({ ...this.input, engine: ENGINE_VERSION, progress })
  }

  private idsAndHeard() {
    const { instanceId, automationId, contactId } = this.input
    const eventIds = this.received.flatMap(({ triggerEventId }) => triggerEventId ?? [])
    return { instanceId, automationId, contactId, eventIds }
  }

  private show(): void {
    setCurrentDetails(describeProgress(this.automationName, this.steps, this.state))
  }
}

/** API calls first: their enrollments are recorded already, and one started by an event before them would take their place. */
const callsFirst = (entries: readonly Entry[]): Entry[] =>
  entries.toSorted((a, b) => Number(b.triggerEventId === null) - Number(a.triggerEventId === null))

const namesOf = ({ enrollmentId, dedupKey }: Entry): string[] =>
  dedupKey === null ? [enrollmentId] : [enrollmentId, dedupKey]

async function handOver(input: EnrollmentInput, memo?: Record<string, unknown>): Promise<never> {
  await condition(allHandlersFinished)
  const continueAsNew = makeContinueAsNewFunc<typeof enrollment>(memo ? { memo } : {})
  return continueAsNew(input)
}

/** The delay of waits beyond their due time, in milliseconds. A metric of the worker that is not in the history. */
const timerLag = () => metricMeter.createHistogram('dripline_timer_lag', 'int', 'ms', 'How late waits end.')
