/**
 * Model of Temporal, as far as the workflows need it: one running execution per ID, a history for each, and tasks for workers.
 */
import { setImmediate as immediately } from 'node:timers/promises'
import { campaign } from '../../workflows/campaign.ts'
import { enrollment } from '../../workflows/enrollment.ts'
import { retry } from '../../workflows/retry.ts'
import { campaignWorkflowId } from '../../src/automation-engine/campaign.ts'
import { retryWorkflowId } from '../../src/automation-engine/retry.ts'
import type { Arrival, EnrollmentInput } from '../../src/automation-engine/contract.ts'
import type { Activities } from '../../activities/index.ts'
import { ENGINE_VERSION } from '../../src/automation-engine/machine.ts'
import {
  type ContactInAutomation,
  enrollmentWorkflowId,
  type Place,
  placeOf,
} from '../../src/automation-engine/enrollment.ts'
import type { EnrollmentStart, Enrollments, ListedEnrollment, RunningEnrollment } from '../../src/temporal/client.ts'
import { runningActivity } from './activity-runtime.ts'
import { current, FAULTS, type Offer, type Process, type Scheduler } from './scheduler.ts'
import type { Event } from './events.ts'
import { Cancelled, ContinueAsNew, Instance, instances } from './workflow-runtime.ts'

const WORKFLOWS = { enrollment, campaign, retry } as unknown as Record<string, (input: unknown) => Promise<unknown>>

interface Execution {
  id: string
  workflow: string
  input: unknown
  memo: Record<string, unknown>
  history: Event[]
  /** Whether there are events that the workflow has not seen. */
  fresh: boolean
  /** The token of the worker that has the task: a worker that was considered dead cannot complete it. */
  task: object | undefined
  timers: Map<number, { cancel: () => void }>
  remotes: Map<number, { name: string; input: unknown; attempt: number; due: boolean; task: object | undefined }>
  closed: string | undefined
  closedAt: Date | undefined
  /** Whether it is from a backup: its enrollment may have ended in the database. */
  restored?: boolean
}

/** Virtual milliseconds after which the task of a silent worker is given to another one. */
const TASK_TIMEOUT_MS = 10_000
const HEARTBEAT_TIMEOUT_MS = 15_000
/** Numbers of steps (of any process) after which a worker's network is cut, if it is. */
const CUT_AFTER = [0, 4, 8, 16]

const failed = () =>
  Object.assign(new Error('14 UNAVAILABLE: Temporal is unavailable'), { code: 14, details: '', metadata: {} })

/** Lengths of histories and of local activities. */
export interface Lengths {
  /** Number of events after which a workflow continues as new. */
  longHistory: number
  /** Whether local activities mostly take longer than a workflow task, so that new events are processed before their results. */
  longTasks: boolean
}

export interface Worker {
  process: Process
  activities: Activities
}

export class TemporalModel {
  readonly workers = new Set<Worker>()
  readonly executions = new Map<string, Execution>()
  /** Events that arrived during the wait of another enrollment: they are processed, and start nothing. */
  readonly processedInWait = new Set<string>()
  private readonly scheduler: Scheduler
  /** Errors of failed workflow tasks: Temporal would retry them forever. */
  readonly failures: string[] = []
  private readonly longHistory: number
  private readonly longTasks: boolean

  private readonly instanceId: string
  private readonly server: Process = { name: 'Temporal', alive: true, stalledUntil: 0 }

  constructor(scheduler: Scheduler, { longHistory, longTasks }: Lengths, instanceId: string) {
    this.scheduler = scheduler
    this.longHistory = longHistory
    this.longTasks = longTasks
    this.instanceId = instanceId
  }

  /** The client that the product's API and relay use. */
  client(): Enrollments {
    const ask = <Result>(what: string, run: () => Result) =>
      this.scheduler.ask(`Temporal ${what}`, run, { faults: FAULTS, error: failed })
    const running = (place: Place) => {
      const found = this.executions.get(enrollmentWorkflowId(place))
      return found && !found.closed ? found : undefined
    }
    return {
      campaign: (workspaceId, campaignId) =>
        ask('signal-with-start', () => {
          const id = campaignWorkflowId(campaignId)
          this.signalWithStart(id, 'campaign', { workspaceId, campaignId }, 'campaignChanged')
        }),
      retry: (workspaceId, messageId) =>
        ask('signal-with-start', () =>
          this.signalWithStart(retryWorkflowId(messageId), 'retry', { workspaceId, messageId }, 'retryRequested'),
        ),
      campaignState: (campaignId) =>
        ask('describe', () => {
          const found = this.executions.get(campaignWorkflowId(campaignId))
          if (!found) return null
          return found.closed ? 'CLOSED' : 'RUNNING'
        }),
      start: (start) =>
        ask('start', () => {
          if (running(placeOf(start.input))) return false
          this.open(start)
          return true
        }),
      enter: (start, databaseHas) =>
        ask('signal-with-start', () => {
          const { enrollmentId, dedupKey, triggerEventId, resumeAfter } = start.input
          const there = running(placeOf(start.input))
          const itsId = there?.memo['enrollmentId']
          const isProcessed = itsId !== enrollmentId && (databaseHas === undefined || databaseHas === itsId)
          const isWaiting = there && !there.restored && there.timers.size > 0
          if (isWaiting && isProcessed && triggerEventId !== null) this.processedInWait.add(triggerEventId)
          const entry = { enrollmentId, dedupKey, triggerEventId, ...(resumeAfter && { resumeAfter }) }
          const arrival: Arrival = { ...entry, ...(databaseHas !== undefined && { databaseHas }) }
          this.signal(there ?? this.open(start), 'enter', arrival)
        }),
      leave: (place, enrollmentId, status) =>
        ask('signal', () => {
          const there = running(place)
          if (there) this.signal(there, 'leave', { enrollmentId, status })
        }),
      skip: (place, due) =>
        ask('signal', () => {
          const there = running(place)
          if (there) this.signal(there, 'skip', due)
        }),
      moveClock: (place, clockAhead) =>
        ask('signal', () => {
          const there = running(place)
          if (there) this.signal(there, 'clock', { clockAhead })
        }),
      move: (place, enrollmentId, version) =>
        ask('signal', () => {
          const there = running(place)
          if (there) this.signal(there, 'move', { enrollmentId, version })
        }),
      findRunning: (place) => ask('describe', () => running(place)?.memo as unknown as RunningEnrollment | undefined),
      state: (place, enrollmentId) =>
        ask('describe', () => {
          const found = this.executions.get(enrollmentWorkflowId(place))
          if (!found) return null
          if (found.memo['enrollmentId'] === enrollmentId) return found.closed ? 'CLOSED' : 'RUNNING'
          return found.closed ? null : 'ANOTHER'
        }),
      lastWorkflow: (place) =>
        ask('describe', () => {
          const found = this.executions.get(enrollmentWorkflowId(place))
          if (!found) return undefined
          const enrollmentId = found.memo['enrollmentId'] as string
          return { enrollmentId, isRunning: !found.closed, endedAt: found.closedAt }
        }),
      wake: (place) =>
        ask('signal', () => {
          const found = running(place)
          if (found) this.signal(found, 'wake', undefined)
        }),
      cancel: (place) =>
        ask('cancel', () => {
          const found = running(place)
          if (!found) return
          found.history.push({ kind: 'cancel' })
          found.fresh = true
        }),
      end: (place, enrollmentId) =>
        ask('cancel', () => {
          const found = running(place)
          if (found?.memo['enrollmentId'] !== enrollmentId) return
          found.history.push({ kind: 'cancel' })
          found.fresh = true
        }),
      listRunning: (of) => {
        const list = () => ask('list', () => this.listRunning(of))
        return (async function* () {
          yield* await list()
        })()
      },
      idle: () => Promise.resolve(),
    }
  }

  /** Returns the running enrollments, of one contact in one automation or all. Unlike Temporal's visibility, nothing is missing. */
  private listRunning(of?: ContactInAutomation): ListedEnrollment[] {
    return [...this.executions.values()].flatMap(({ workflow, closed, input, memo }) => {
      if (closed || workflow !== 'enrollment') return []
      const place = placeOf(input as EnrollmentInput)
      if (of && (of.automationId !== place.automationId || of.contactId !== place.contactId)) return []
      return [{ ...(memo as unknown as RunningEnrollment), ...place, isHeld: false }]
    })
  }

  /** Returns the executions that a backup at this moment contains. Without a backup, Temporal returns with none. */
  backup(): Execution[] {
    return [...this.executions.values()].map((execution) => ({
      ...execution,
      ...NEW_RUN(),
      history: [...execution.history],
      closed: execution.closed,
      closedAt: execution.closedAt,
    }))
  }

  /** Restores a backup. Running tasks of the previous executions are discarded. */
  restore(backup: readonly Execution[]): void {
    for (const { timers } of this.executions.values()) for (const timer of timers.values()) timer.cancel()
    this.executions.clear()
    for (const execution of backup) this.executions.set(execution.id, { ...execution, restored: true })
  }

  /** Returns the tasks that a free worker may start now. */
  offers(): Offer[] {
    const workers = [...this.workers].filter(
      ({ process }) => process.alive && process.stalledUntil <= this.scheduler.now,
    )
    const worker = workers[0]
    if (!worker) return []
    return [...this.executions.values()].flatMap((execution) => {
      if (execution.closed) return []
      const offers: Offer[] = []
      const by = workers[execution.history.length % workers.length]!
      if (execution.fresh && !execution.task) {
        offers.push({ what: `${by.process.name} starts a workflow task`, run: () => this.takeUp(by, execution) })
      }
      for (const [seq, remote] of execution.remotes) {
        if (remote.due && !remote.task) {
          offers.push({
            what: `${by.process.name} starts ${remote.name}`,
            run: () => this.runRemote(by, execution, seq),
          })
        }
      }
      return offers
    })
  }

  private open({ input }: EnrollmentStart): Execution {
    const { enrollmentId, dedupKey, triggerEventId, enrolledAt } = input
    const id = enrollmentWorkflowId(placeOf(input))
    return this.begin(
      id,
      'enrollment',
      { ...input, engine: ENGINE_VERSION },
      { enrollmentId, dedupKey, triggerEventId, enrolledAt },
    )
  }

  private begin(id: string, workflow: string, input: object, memo: Record<string, unknown> = {}): Execution {
    const of = { ...input, instanceId: this.instanceId }
    const execution: Execution = { id, workflow, input: of, memo, ...NEW_RUN() }
    this.executions.set(id, execution)
    return execution
  }

  private signalWithStart(id: string, workflow: string, input: object, signal: string): void {
    const found = this.executions.get(id)
    const running = found && !found.closed ? found : this.begin(id, workflow, input)
    this.signal(running, signal, undefined)
  }

  /** Delivers every signal of each running workflow once more: changes of its automation, and its own start. */
  repeat(): void {
    for (const execution of this.executions.values()) {
      if (execution.closed) continue
      const { enrollmentId, dedupKey, triggerEventId } = execution.input as EnrollmentInput
      if (this.scheduler.choose([true, false])) this.signal(execution, 'wake', undefined)
      else this.signal(execution, 'enter', { enrollmentId, dedupKey, triggerEventId })
    }
  }

  private signal(execution: Execution, name: string, arg: unknown): void {
    execution.history.push({ kind: 'signal', name, arg })
    execution.fresh = true
  }

  /** Runs a workflow task: replays the history, continues as far as possible, and completes the task on the server. */
  private takeUp(worker: Worker, execution: Execution): void {
    const task = {}
    execution.task = task
    execution.fresh = false
    const { scheduler } = this
    const seen = execution.history.length
    // Outside of any process: this is the server's own timeout.
    current.exit(() =>
      scheduler.after(TASK_TIMEOUT_MS * 6, () => {
        if (execution.task !== task) return
        execution.task = undefined
        execution.fresh = true
      }),
    )
    current.run(worker.process, () => {
      void this.work(worker, execution, task, seen).catch((error: unknown) => {
        scheduler.trace.push(`A workflow task failed: ${String(error)}`)
        this.failures.push(error instanceof Error ? error.message : String(error))
      })
    })
  }

  private async work(worker: Worker, execution: Execution, task: object, begun: number): Promise<void> {
    const { scheduler } = this
    let seen = begun
    let added: Event[] = [{ kind: 'task', now: scheduler.now }]
    const instance = new Instance(scheduler.now, () => seen > this.longHistory)
    let outcome: { value: unknown } | { error: unknown } | undefined
    const events = [...execution.history.slice(0, seen)]
    const firstTask = events.find((event) => event.kind === 'task')
    instance.now = firstTask?.kind === 'task' ? firstTask.now : scheduler.now
    instances.run(instance, () => {
      WORKFLOWS[execution.workflow]!(execution.input).then(
        (value) => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      )
    })
    await immediately()
    // Signals that came before the first task are present when the workflow's code begins. Signals between two tasks are
    // processed by the second one, at its time; local activities end within one task.
    const all = [...events, ...added]
    for (const [at, event] of all.entries()) {
      if (event.kind === 'task') continue
      if (!('localAt' in event)) {
        const task = all.find((other, n) => n > at && other.kind === 'task')
        instance.now = task?.kind === 'task' ? task.now : scheduler.now
      }
      instances.run(instance, () => instance.apply(event))
      await immediately()
      this.dropAnswered(instance, events)
    }
    for (let local = instance.locals.shift(); local; local = instance.locals.shift()) {
      const result = await this.runLocal(worker, local)
      // A local activity can take longer than a task: then another task follows, with the new events, and before its result.
      const came = scheduler.choose(this.longTasks ? [true, false] : [false, true])
        ? await this.continueAsNew(execution, task, seen, added)
        : []
      if (came.length > 0) {
        seen = execution.history.length
        added = []
        for (const event of came) instances.run(instance, () => instance.apply(event))
      }
      added.push(result)
      instances.run(instance, () => instance.apply(result))
      await immediately()
    }
    await scheduler.ask(
      'Temporal complete task',
      () => {
        if (execution.task !== task || execution.closed) return
        execution.task = undefined
        const isNew = execution.history.length > seen
        // New events have to be processed before the workflow ends: the task is repeated.
        if (outcome && isNew) {
          execution.fresh = true
          return
        }
        execution.history.splice(seen, 0, ...added)
        execution.fresh = isNew
        this.commit(execution, instance, outcome)
      },
      { faults: ['crash-before', 'crash-after', 'stall'] },
    )
  }

  /**
   * Ends a task whose local activity is still running, and begins the next. @returns the events that the next one processes first
   */
  private continueAsNew(execution: Execution, task: object, seen: number, added: readonly Event[]): Promise<Event[]> {
    return this.scheduler.ask(
      'Temporal continue a task',
      () => {
        const came = execution.history.slice(seen)
        if (execution.task !== task || execution.closed || came.length === 0) return []
        execution.history.splice(seen, 0, ...added)
        const next: Event = { kind: 'task', now: this.scheduler.now }
        execution.history.push(next)
        execution.fresh = false
        return [...came, next]
      },
      { faults: ['crash-before', 'crash-after', 'stall'] },
    )
  }

  /** Drops the calls that the replayed history already answers. */
  private dropAnswered(instance: Instance, events: readonly Event[]): void {
    const answered = new Set(events.flatMap((event) => (event.kind === 'result' ? [event.seq] : [])))
    for (let n = instance.locals.length - 1; n >= 0; n -= 1) {
      if (answered.has(instance.locals[n]!.seq)) instance.locals.splice(n, 1)
    }
  }

  private async runLocal(worker: Worker, local: { seq: number; name: string; input: unknown }): Promise<Event> {
    const run = activityOf(worker, local.name)
    const context = { isLocal: true, cancellation: new AbortController().signal }
    try {
      const value = await runningActivity.run(context, () => run(local.input))
      return { kind: 'result', seq: local.seq, value, localAt: this.scheduler.now }
    } catch (error) {
      return { kind: 'result', seq: local.seq, error: String(error), localAt: this.scheduler.now }
    }
  }

  private commit(
    execution: Execution,
    instance: Instance,
    outcome: { value: unknown } | { error: unknown } | undefined,
  ): void {
    const { scheduler } = this
    if (outcome) {
      for (const timer of execution.timers.values()) timer.cancel()
      const error = 'error' in outcome ? outcome.error : undefined
      if (error instanceof ContinueAsNew) {
        Object.assign(execution, NEW_RUN(), { input: error.input, memo: error.memo ?? execution.memo })
        return
      }
      if (error !== undefined && !(error instanceof Cancelled)) {
        throw new Error(`A workflow failed: ${String((error as Error).stack)}`)
      }
      execution.closedAt = new Date(this.scheduler.now)
      execution.closed = error ? 'CANCELLED' : (JSON.stringify((outcome as { value: unknown }).value) ?? 'COMPLETED')
      execution.remotes.clear()
      return
    }
    for (const [seq, timer] of execution.timers) {
      if (instance.timers.has(seq)) continue
      timer.cancel()
      execution.timers.delete(seq)
    }
    current.exit(() => {
      for (const [seq, at] of instance.timers) {
        if (execution.timers.has(seq)) continue
        const timer = scheduler.after(at - scheduler.now, () => {
          execution.timers.delete(seq)
          execution.history.push({ kind: 'timer', seq })
          execution.fresh = true
        })
        execution.timers.set(seq, { cancel: () => scheduler.cancel(timer) })
      }
    })
    for (const seq of execution.remotes.keys()) if (!instance.remotes.has(seq)) execution.remotes.delete(seq)
    for (const [seq, { name, input }] of instance.remotes) {
      if (!execution.remotes.has(seq)) {
        execution.remotes.set(seq, { name, input, attempt: 1, due: true, task: undefined })
      }
    }
  }

  private runRemote(worker: Worker, execution: Execution, seq: number): void {
    const { scheduler } = this
    const remote = execution.remotes.get(seq)!
    const task = {}
    remote.task = task
    const isMine = () => execution.remotes.get(seq) === remote && remote.task === task
    const again = (milliseconds: number) => {
      remote.task = undefined
      remote.due = false
      remote.attempt += 1
      current.exit(() => scheduler.after(milliseconds, () => (remote.due = true)))
    }
    // It sends heartbeats while its process does anything. The task of a dead or stopped process is given to another one.
    const watch = () => {
      if (!isMine()) return
      const { alive, stalledUntil } = worker.process
      if (!alive || stalledUntil > scheduler.now) again(0)
      else scheduler.after(HEARTBEAT_TIMEOUT_MS, watch)
    }
    current.exit(() => scheduler.after(HEARTBEAT_TIMEOUT_MS, watch))
    // Or its heartbeats are lost because its network is cut: it continues, and another worker also gets the task.
    current.run(this.server, () => {
      const received = () =>
        scheduler.ask(`Temporal gets a heartbeat of ${remote.name}`, () => undefined, { faults: ['fail-before'] })
      void scheduler
        .steps(scheduler.choose(CUT_AFTER))
        .then(received)
        .catch(() => isMine() && again(0))
    })
    const run = activityOf(worker, remote.name)
    const finish = (what: string, how: () => void): Promise<unknown> =>
      scheduler.ask(`Temporal ${what}`, () => isMine() && how(), { faults: ['crash-before', 'crash-after', 'stall'] })
    current.run(worker.process, () => {
      const context = { isLocal: false, cancellation: new AbortController().signal }
      void runningActivity
        .run(context, () => run(remote.input))
        .then(
          (value) =>
            finish('complete activity', () => {
              execution.history.push({ kind: 'result', seq, value })
              execution.remotes.delete(seq)
              execution.fresh = true
            }),
          () => finish('fail activity', () => again(Math.min(1_000 * 2 ** remote.attempt, 300_000))),
        )
    })
  }
}

const activityOf =
  ({ activities }: Worker, name: string) =>
  (input: unknown): Promise<unknown> =>
    (activities as unknown as Record<string, (input: unknown) => Promise<unknown>>)[name]!(input)

const NEW_RUN = () => ({
  history: [] as Event[],
  fresh: true,
  task: undefined,
  timers: new Map<number, { cancel: () => void }>(),
  remotes: new Map() as Execution['remotes'],
  closed: undefined,
  closedAt: undefined,
})
