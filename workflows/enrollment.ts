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
  automationChangedSignal,
  describeStep,
  type Effect,
  type EndStatus,
  ENGINE,
  type EnrollmentInput,
  type EnrollmentResult,
  enterSignal,
  type Entry,
  type Happening,
  INITIAL,
  type MachineState,
  next,
  positionOf,
  stateQuery,
  type StepOutline,
} from '../src/automation-engine/index.ts'
import { beginEnrollment, finishEnrollment, recordProcessedEvents, sendEmail } from './activities.ts'
import { describeProgress } from './details.ts'
import { historyIsLong } from './history.ts'
import { publishedWaits, publishStatus, publishWait } from './search-attributes.ts'

/** Of the entries received, how many are carried until the ledger is told of them. */
const MAX_CARRIED = 500

/**
 * One contact in one automation, from the first step to the last, however long that takes. The workflow's start is what
 * makes the enrollment; the database follows. What happens when is up to the machine (src/automation-engine/machine.ts): here its
 * effects are carried out, and it is told what came of them.
 */
export async function enrollment(input: EnrollmentInput): Promise<EnrollmentResult> {
  const run = new Run(input)
  const begun = await run.begin()
  const result = begun && (await run.drive(begun))
  if (result) return result
  // It was for nothing: what started it has started another already, or it was over. Whoever came meanwhile is next.
  const [entry, ...received] = callsFirst(run.received)
  if (!entry) return { status: 'NOT_ENROLLED' }
  return run.reenter(entry, received)
}

interface Begun {
  automationName: string
  steps: StepOutline[]
}

class Run {
  readonly input: EnrollmentInput
  /** Received of, and not kept by the ledger yet. Handlers only record and wake, and are there before anything is awaited. */
  received: Entry[]
  private receivedCount: number
  /** What these and the run's own entry are known by: a set, because thousands can come at once. */
  private readonly known = new Set<string>()
  private state: MachineState
  private steps: readonly StepOutline[] = []
  private automationName = ''
  private hasBegun = false
  /** What the machine wants done, and is not begun yet. */
  private todo: Effect[] = []
  /** Why it was cancelled, if it was: Temporal is to show it as that. */
  private cancellation: Error | undefined
  /** Whether somebody came who says that the ledger has another enrollment than this one, or none. */
  private doubted = false

  constructor(input: EnrollmentInput) {
    this.input = input
    this.state = input.progress?.state ?? INITIAL
    this.received = [...(input.progress?.received ?? [])]
    this.receivedCount = input.progress?.receivedCount ?? 0
    for (const entry of [input, ...this.received]) this.know(entry)
    setHandler(enterSignal, (entry) => this.receive(entry))
    // Before a run has begun it has no steps, and nothing is under way: whatever it does then is done after the change.
    setHandler(automationChangedSignal, () => {
      if (this.hasBegun) this.feed({ kind: 'changed' })
    })
    setHandler(stateQuery, () => ({
      position: positionOf(this.steps, this.state),
      paused: this.state.paused,
      wakeAt: this.state.wakeAt,
      receivedCount: this.receivedCount,
    }))
  }

  /** @returns `null` where there is nothing to do: see `beginEnrollment`. */
  async begin(): Promise<Begun | null> {
    try {
      return await this.listed()
    } catch (error) {
      if (!isCancellation(error)) throw error
      // It has to end before it began. The row may be there: its starter writes it, too.
      this.cancellation = error as Error
      // Who was ended by a call, and came back behind its answer, is in by the ledger no more: what she came by enters anew.
      if (await this.isOver()) return null
      await this.finish('CANCELLED')
      throw error
    }
  }

  /** @returns `null` where the ledger has it as ended, although it has not come to its end here. */
  async drive({ automationName, steps }: Begun): Promise<EnrollmentResult | null> {
    this.automationName = automationName
    this.steps = steps
    this.hasBegun = true
    this.feed({ kind: 'begun', resumeAfter: this.input.resumeAfter })
    for (let effect = this.todo.shift(); effect; effect = this.todo.shift()) {
      // First, because what it hears until its end is recorded as received, and would be lost if it is over already.
      if (await this.isOver()) return null
      if (effect.do === 'end') return this.finish(effect.status)
      try {
        // What a new run finds again by itself; it would never hear of what is to be told, nor of an end behind that.
        if ((effect.do === 'send' || effect.do === 'wait') && historyIsLong()) await this.continueInNewRun()
        if (this.received.length > MAX_CARRIED) await this.remember()
        await this.carryOut(effect)
      } catch (error) {
        if (!isCancellation(error)) throw error
        this.cancellation = error as Error
        // An end that it has come to already is still to be recorded.
        this.todo = this.todo.filter((each) => each.do === 'end')
        this.feed({ kind: 'exit' })
      }
    }
    throw new Error('The machine has nothing to do and has not ended')
  }

  /** Enters by another cause: a new run, with what is left of what was received. */
  reenter({ enrollmentId, dedupKey, triggerEventId, resumeAfter }: Entry, received: Entry[]): Promise<never> {
    const { instanceId, workspaceId, automationId, contactId } = this.input
    const enrolledAt = new Date(Date.now()).toISOString()
    const entry = { enrollmentId, dedupKey, triggerEventId, enrolledAt }
    const progress = { state: INITIAL, received, receivedCount: this.receivedCount }
    const input = {
      engine: ENGINE,
      instanceId,
      workspaceId,
      automationId,
      contactId,
      ...entry,
      ...(resumeAfter && { resumeAfter }),
      progress,
    }
    // What is published goes over to the new run, and that one is paused by nothing.
    if (this.state.paused) publishStatus('ACTIVE')
    // A cancellation is of the run that it found, and not of who enters next.
    return CancellationScope.nonCancellable(() => handOver(input, { ...entry }))
  }

  /** Has the ledger record it, if it does not have it yet. @returns `null` where there is nothing to do (any more). */
  private async listed(): Promise<Begun | null> {
    const { doubted } = this
    this.doubted = false
    try {
      return await beginEnrollment(this.input)
    } catch (error) {
      // What was not answered is doubted as before.
      this.doubted ||= doubted
      throw error
    }
  }

  /** Whether the ledger has it as ended, where somebody came who says so. */
  private async isOver(): Promise<boolean> {
    while (this.doubted) if (!(await CancellationScope.nonCancellable(() => this.listed()))) return true
    return false
  }

  private receive({ databaseHas, ...entry }: Arrival): void {
    const own = this.input.enrollmentId
    // A start by signal tells of what it is started by, too; and a delivery can come twice.
    if (databaseHas !== undefined && databaseHas !== own && entry.enrollmentId !== own) this.doubted = true
    if (namesOf(entry).some((name) => this.known.has(name))) return
    this.know(entry)
    this.received.push(entry)
    this.receivedCount += 1
  }

  private know(entry: Entry): void {
    for (const name of namesOf(entry)) this.known.add(name)
  }

  private feed(happening: Happening): void {
    const { state, effects } = next(this.steps, this.state, happening, Date.now())
    this.state = state
    this.todo.push(...effects)
  }

  private async carryOut(effect: Exclude<Effect, { do: 'end' }>): Promise<void> {
    const { instanceId, enrollmentId, workspaceId, automationId } = this.input
    switch (effect.do) {
      case 'send': {
        this.show()
        const key = { instanceId, enrollmentId, workspaceId, automationId, stepId: effect.stepId, occurrence: 0 }
        const { next: as, finalAt: at } = await sendEmail(key)
        this.feed({ kind: 'email-settled', stepId: effect.stepId, as, at })
        return
      }
      case 'wait':
        this.show()
        return this.pause(effect.until)
      case 'publish':
        return publishStatus(effect.paused ? 'PAUSED' : 'ACTIVE')
      case 'announce':
        if (publishedWaits(this.steps).has(effect.position)) {
          publishWait(describeStep(this.steps, effect.position + 1), new Date(effect.until))
        }
    }
  }

  /** The one pause: a timer, something that the machine acts on, or a long history ends it. */
  private async pause(until: number | null): Promise<void> {
    const over = () => this.todo.length > 0 || this.doubted || historyIsLong() || this.received.length > MAX_CARRIED
    const summary = describeStep(this.steps, positionOf(this.steps, this.state))
    for (;;) {
      const rest = until === null ? null : until - Date.now()
      const isOver =
        rest === null ? await condition(over).then(() => true) : rest > 0 && (await condition(over, rest, { summary }))
      if (this.todo.length > 0) return
      if (this.doubted) return void this.todo.push({ do: 'wait', until })
      if (until !== null && !isOver) {
        timerLag().record(Math.max(0, Date.now() - until))
        return this.feed({ kind: 'woken' })
      }
      if (historyIsLong()) return this.continueInNewRun()
      await this.remember()
    }
  }

  /** Has the ledger keep what was received, so that it need not be carried. */
  private async remember(): Promise<void> {
    const received = this.received.length
    await recordProcessedEvents(this.idsAndHeard())
    this.received.splice(0, received)
  }

  /**
   * Records the end, and what was received until then. Who came while that was recorded found the contact free, and so did a
   * call, which looks before it signals: each is entered anew, also where this run was cancelled.
   */
  private async finish(status: EndStatus): Promise<EnrollmentResult> {
    const received = this.received.length
    this.show()
    const { enrollmentId, dedupKey, enrolledAt } = this.input
    await CancellationScope.nonCancellable(() =>
      finishEnrollment({ ...this.idsAndHeard(), enrollmentId, dedupKey, enrolledAt, status }),
    )
    const late = this.received.filter(({ triggerEventId }, n) => n >= received || triggerEventId === null)
    const [entry, ...rest] = callsFirst(late)
    if (entry) return this.reenter(entry, rest)
    if (this.cancellation !== undefined) throw this.cancellation
    return { status }
  }

  /** Nothing may come between: while events do, Temporal lets no run end that has not seen them. */
  private continueInNewRun(): Promise<never> {
    const { received, receivedCount, state } = this
    return handOver({ ...this.input, engine: ENGINE, progress: { state, received, receivedCount } })
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

/** Who called is in by the ledger already: an event that entered before would take the place. */
const callsFirst = (entries: readonly Entry[]): Entry[] =>
  entries.toSorted((a, b) => Number(b.triggerEventId === null) - Number(a.triggerEventId === null))

const namesOf = ({ enrollmentId, dedupKey }: Entry): string[] =>
  dedupKey === null ? [enrollmentId] : [enrollmentId, dedupKey]

async function handOver(input: EnrollmentInput, memo?: Record<string, unknown>): Promise<never> {
  await condition(allHandlersFinished)
  const goOn = makeContinueAsNewFunc<typeof enrollment>(memo ? { memo } : {})
  return goOn(input)
}

/** How late waits end, in milliseconds: a metric of the worker's, which is no part of the history. */
const timerLag = () => metricMeter.createHistogram('dripline_timer_lag', 'int', 'ms', 'How late waits end.')
