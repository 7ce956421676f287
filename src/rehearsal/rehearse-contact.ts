import {
  type Effect,
  ELSE,
  INITIAL_STATE,
  type MachineEvent,
  type MachineState,
  nextTransition,
  positionOf,
  RECEIVED,
  type StepResult,
  type StoredStep,
  TIMED_OUT,
} from '../automation-engine/index.ts'
import { eventKeyOf } from '../automations/index.ts'
import { eventRules, type LeaveRule, mayReenter } from '../enrollments/index.ts'
import { readPath } from '../platform/json-path.ts'
import { type Condition, conditionHolds, type EventFact, instantsOfChange } from '../segments/index.ts'
import { branchOfSplit, endOfWaitUntil } from '../steps/index.ts'
import { foldName } from '../triggers/index.ts'
import type { Entrant, Happening } from './entrant.ts'
import { keyOf, type RehearsedAutomation, type Setting } from './rehearsed-automation.ts'
import { RehearsedContact } from './rehearsed-contact.ts'
import type { Refusal, TimelineEntry } from './timeline.ts'

/** The course of a contact, and the variables of their emails. */
export interface RehearsedCourse {
  timeline: TimelineEntry[]
  emails: RehearsedEmail[]
}

/** An email, with what its templates could print at that time. */
export interface RehearsedEmail {
  stepId: string
  at: number
  contact: { firstName: string | null; metadata: Readonly<Record<string, unknown>> }
  event: { name: string; data: unknown } | null
  stepData: Readonly<Record<string, unknown>>
}

/** A sequence of this many effects is a defect of the machine: an automation is a tree that ends. */
const MAX_EFFECTS = 100_000
const MINUTE_MS = 60_000

/**
 * Runs an automation for a contact on a virtual clock, with the machine and the decisions that run enrollments. It only reads
 * what it is given, and nothing is sent or stored.
 */
export function rehearseContact(automation: RehearsedAutomation, entrant: Entrant, setting: Setting): RehearsedCourse {
  const run = new Run(automation, entrant, setting)
  run.begin()
  return { timeline: run.timeline, emails: run.emails }
}

class Run {
  readonly timeline: TimelineEntry[] = []
  readonly emails: RehearsedEmail[] = []
  private readonly automation: RehearsedAutomation
  private readonly entrant: Entrant
  private readonly setting: Setting
  private readonly contact: RehearsedContact
  private readonly future: Happening[]
  private readonly stepData: Record<string, unknown> = {}
  /** When each wait for an event ends. */
  private readonly waits = new Map<string, number>()
  private now: number
  private state: MachineState = INITIAL_STATE
  private todo: Effect[] = []
  private isOver = false
  /** The times at which a rule can apply, as long as the contact does not change. */
  private instants: number[] | undefined

  constructor(automation: RehearsedAutomation, entrant: Entrant, setting: Setting) {
    this.automation = automation
    this.entrant = entrant
    this.setting = setting
    this.contact = new RehearsedContact(entrant.state)
    if (entrant.event) this.contact.events.push(entrant.event)
    this.future = [...entrant.events]
    this.now = entrant.at
  }

  begin(): void {
    const rule = this.refusal()
    if (rule) return this.add({ type: 'REFUSED', rule })
    this.add({ type: 'ENTERED' })
    this.feed({ kind: 'begun' })
    for (let count = 0; !this.isOver; count += 1) {
      const effect = this.todo.shift()
      if (!effect || count > MAX_EFFECTS) throw new Error('The machine did not reach an end')
      this.carryOut(effect)
    }
  }

  /** Decides like `decideEntry`, without what only the database knows. */
  private refusal(): Refusal | undefined {
    const { event, lastEntry, at } = this.entrant
    const { entry, filter, keyPath } = this.automation
    if (keyPath !== null && keyOf(keyPath, event?.data) === undefined) return 'KEY'
    if (filter && !this.holds(filter, event?.data)) return 'FILTER'
    // Of earlier enrollments, it is not known which key they had.
    if (keyPath !== null) return undefined
    if (lastEntry?.isActive) return 'ALREADY_ENROLLED'
    const mayEnter = !lastEntry || mayReenter(entry.reentry, new Date(lastEntry.enrolledAt), new Date(at))
    return mayEnter ? undefined : 'REENTRY'
  }

  private feed(happening: MachineEvent): void {
    const { state, effects } = nextTransition(this.automation.outlines, this.state, happening, this.now)
    this.state = state
    this.todo.push(...effects)
  }

  private carryOut(effect: Effect): void {
    switch (effect.do) {
      case 'send':
        return this.leaves() ? undefined : this.send(this.stepOf(effect.stepId))
      case 'run':
        if (this.leaves()) return
        return this.feed({ kind: 'step-ran', stepId: effect.stepId, result: this.decide(this.stepOf(effect.stepId)) })
      case 'wait':
        return this.wait(effect.until!)
      case 'end':
        return this.end({ type: 'ENDED', status: effect.status, rule: null })
      case 'publish':
      case 'announce':
    }
  }

  private send(step: StoredStep): void {
    if (step.type !== 'EMAIL') throw new Error(`A step of the type ${step.type} sends no email`)
    const { contact, now, automation, setting, stepData } = this
    const suppressedBy = contact.suppressedBy(step.category ?? 'marketing', automation.listIds)
    this.instants = undefined
    this.add({ type: 'EMAIL', stepId: step.id, suppressedBy })
    contact.messages.push({
      ...{ stepId: step.id, automationId: automation.id, campaignId: null, at: now },
      ...{ openedAt: null, clickedAt: null, hasBounced: false },
      status: suppressedBy === null ? setting.sentAs : 'SUPPRESSED',
    })
    const { firstName, metadata } = contact
    if (suppressedBy === null)
      this.emails.push({
        ...{ stepId: step.id, at: now, contact: { firstName, metadata } },
        event: this.entrant.event,
        stepData: { ...stepData },
      })
    this.feed({ kind: 'email-settled', stepId: step.id, as: 'continue' })
  }

  /** Decides as the activity of a step does. */
  private decide(step: StoredStep): StepResult {
    const { contact, entrant, setting } = this
    switch (step.type) {
      case 'CONDITION': {
        const index = step.branches.findIndex((branch) => this.holds(branch.if as unknown as Condition))
        return this.branch(step.id, index === -1 ? ELSE : String(index))
      }
      case 'SPLIT':
        return this.branch(step.id, branchOfSplit(step, contact.id))
      case 'WAIT_UNTIL': {
        const { metadata, createdAt } = contact
        const of = { contact: { metadata, createdAt: new Date(createdAt) }, event: entrant.event }
        const { target, isPast } = endOfWaitUntil(step, { ...of, timezone: setting.timezone }, new Date(this.now))
        if (!isPast) return { next: 'wait', until: target!.getTime() }
        return step.ifPast === 'exit' ? { next: 'end', status: 'EXITED' } : { next: 'continue' }
      }
      case 'WAIT_FOR_EVENT':
        return this.waitForEvent(step)
      case 'UPDATE_CONTACT':
        this.instants = undefined
        contact.update(step, setting.openLists, this.now)
        this.add({ type: 'CHANGE', stepId: step.id })
        return { next: 'continue' }
      case 'WEBHOOK':
        if (step.saveAs !== null && Object.hasOwn(setting.responses, step.saveAs))
          this.stepData[step.saveAs] = setting.responses[step.saveAs]
        this.add({ type: 'WEBHOOK', stepId: step.id })
        return { next: 'continue' }
      case 'EMAIL':
      case 'WAIT':
      case 'EXIT':
        throw new Error(`A step of the type ${step.type} has no activity`)
    }
  }

  private branch(stepId: string, branch: string): StepResult {
    this.add({ type: 'BRANCH', stepId, branch })
    return { next: 'continue', branch }
  }

  private waitForEvent(step: Extract<StoredStep, { type: 'WAIT_FOR_EVENT' }>): StepResult {
    const until = this.waits.get(step.id) ?? this.now + step.timeoutMinutes * MINUTE_MS
    this.waits.set(step.id, until)
    const since = Math.min(this.entrant.at, this.entrant.event?.at ?? Infinity)
    const isReceived = this.contact.events.some(
      (event) => event.at >= since && event !== this.entrant.event && this.isAwaited(step, event),
    )
    if (isReceived) return this.branch(step.id, RECEIVED)
    return this.now < until ? { next: 'retry', until } : this.branch(step.id, TIMED_OUT)
  }

  private isAwaited(step: Extract<StoredStep, { type: 'WAIT_FOR_EVENT' }>, event: EventFact): boolean {
    if (event.name !== foldName(step.eventName) || !this.isReachedBy(event)) return false
    return step.filter === undefined || this.holds(step.filter as unknown as Condition, event.data)
  }

  /** Moves the clock to the end of the wait, or to what ends it earlier. */
  private wait(until: number): void {
    this.add({ type: 'WAIT', stepId: this.state.stepId!, until })
    // A worker looks every minute, so the end of a shorter wait would come first.
    if (until - this.now > MINUTE_MS && this.leaves()) return
    while (!this.isOver && this.todo.length === 0) {
      const next = this.future[0]
      const at = Math.min(until, next?.at ?? Infinity, this.nextChange())
      if (at > this.setting.until) return this.end({ type: 'UNFINISHED' }, this.setting.until)
      this.now = Math.max(this.now, at)
      // An event at the end of a wait still counts.
      if (next?.at === at) this.happen(this.future.shift()!)
      else if (at === until) this.feed({ kind: 'woken' })
      else this.leaves()
    }
  }

  /** The next time at which a rule can apply without a change of the contact. */
  private nextChange(): number {
    this.instants ??= this.automation.conditionRules
      .flatMap(({ condition }) => instantsOfChange(this.setting.resolve(condition!), this.contact))
      .sort((a, b) => a - b)
    return this.instants.find((time) => time > this.now) ?? Infinity
  }

  private happen(happening: Happening): void {
    this.instants = undefined
    if ('name' in happening) return this.receive(happening)
    if ('change' in happening) this.contact.update(happening.change, this.setting.openLists, this.now)
    else this.contact.messages.push(happening.message)
    this.leaves()
  }

  private receive(event: EventFact): void {
    this.contact.events.push(event)
    if (this.isReachedBy(event)) {
      const rules = eventRules(this.automation, eventKeyOf(event.name))
      const rule = rules.find(({ condition }) => condition === undefined || this.holds(condition, event.data))
      if (rule) {
        this.add({ type: 'EVENT', name: event.name })
        return this.leave(rule)
      }
    }
    const step = this.state.waitingFor === 'retry' ? this.stepOf(this.state.stepId!) : undefined
    if (step?.type === 'WAIT_FOR_EVENT' && this.isAwaited(step, event)) {
      this.add({ type: 'EVENT', name: event.name })
      return this.feed({ kind: 'changed' })
    }
    this.leaves()
  }

  /** Ends the enrollment if a condition of the goal or an exit rule is true. @returns whether it ended */
  private leaves(): boolean {
    const rule = this.automation.conditionRules.find(({ condition }) => this.holds(condition!))
    if (rule) this.leave(rule)
    return rule !== undefined
  }

  private leave({ status, rule }: LeaveRule): void {
    this.end({ type: 'ENDED', status, rule })
  }

  private end(entry: Entry, at = this.now): void {
    this.now = at
    this.add(entry)
    this.isOver = true
  }

  private holds(condition: Condition, eventData: unknown = this.entrant.event?.data): boolean {
    const { now: at, stepData } = this
    return conditionHolds(this.setting.resolve(condition), this.contact, { at, eventData, stepData })
  }

  /** Decides like `isReachedBy` of enrollments: an event without a key reaches all enrollments of the contact. */
  private isReachedBy({ data }: EventFact): boolean {
    const { keyPath } = this.automation
    if (keyPath === null) return true
    const value = readPath(data, keyPath)
    return value === undefined || value === null || keyOf(keyPath, data) === keyOf(keyPath, this.entrant.event?.data)
  }

  private stepOf(stepId: string): StoredStep {
    return this.automation.steps[positionOf(this.automation.outlines, { stepId })]!
  }

  private add(entry: Entry): void {
    this.timeline.push({ at: this.now, ...entry })
  }
}

type Entry = TimelineEntry extends infer Each ? (Each extends unknown ? Omit<Each, 'at'> : never) : never
