import type { AppliedChange } from '../../../src/contacts/index.ts'
import {
  type Happening,
  rehearseContact,
  type RehearsedContact,
  type RehearsedCourse,
  type Setting,
} from '../../../src/rehearsal/index.ts'
import type { EventFact } from '../../../src/segments/index.ts'
import type { TestedAutomation } from './definitions.ts'
import type { Email } from './types.ts'

/** Something that happened to a contact. */
export type Item = Happening & {
  /** The enrollment that caused it. */
  by: TestedEnrollment | null
}

/** The circumstances in which an enrollment began. */
export interface Start {
  automation: TestedAutomation
  /** The contact when they enter. */
  contact: RehearsedContact
  at: number
  event: EventFact | null
  /** The most recent enrollment of the contact with the same concurrency key. */
  last: TestedEnrollment | null
  /** The enrollment that changed the contact, and a sentence about the change. */
  cause: { by: TestedEnrollment; change: string } | null
}

/** An enrollment of a contact, or a refusal. */
export class TestedEnrollment implements Start {
  readonly automation: TestedAutomation
  readonly contact: RehearsedContact
  readonly at: number
  readonly event: EventFact | null
  readonly last: TestedEnrollment | null
  readonly cause: Start['cause']
  /** The number of enrollments that caused each other before this one. */
  readonly depth: number
  /** The emails so far. */
  readonly emails: Email[] = []
  /** The number of entries of the timeline whose consequences for other enrollments have been recorded. */
  settled = 0
  course: RehearsedCourse = { timeline: [], emails: [] }
  /** The time until which the course is computed, and the number of events and changes that it had. */
  private computed = { until: -Infinity, events: 0 }

  constructor({ automation, contact, at, event, last, cause }: Start) {
    this.automation = automation
    this.contact = contact
    this.at = at
    this.event = event
    this.last = last
    this.cause = cause
    this.depth = cause ? cause.by.depth + 1 : 0
  }

  /** Computes what has happened until a time. @param items what has happened to the contact since they entered */
  run(items: readonly Item[], setting: Setting): void {
    const { automation, contact: state, at, event, last } = this
    const events = items.filter(({ by }) => by !== this)
    if (this.isComputed(events, setting.until)) return
    this.computed = { until: setting.until, events: events.length }
    const lastEntry = last && { enrolledAt: last.at, isActive: false }
    this.course = rehearseContact(automation.prepared, { state, at, event, lastEntry, events }, setting)
  }

  /** Returns whether nothing can have changed: there is no news, or the enrollment ended before. */
  private isComputed(events: readonly Item[], until: number): boolean {
    const { computed, course } = this
    if (events.length === computed.events && until === computed.until) return true
    const last = course.timeline.at(-1)
    if (!last || last.type === 'UNFINISHED') return false
    return last.at <= until && last.at < (events[computed.events]?.at ?? Infinity)
  }

  get isActive(): boolean {
    return this.course.timeline.at(-1)!.type === 'UNFINISHED'
  }

  get isRefused(): boolean {
    return this.course.timeline[0]!.type === 'REFUSED'
  }

  /** Returns the change that an UPDATE_CONTACT makes. */
  changeOf(stepId: string): AppliedChange {
    const step = this.automation.rehearsable.steps.find(({ id }) => id === stepId)
    if (step?.type !== 'UPDATE_CONTACT') throw new Error(`The step ${stepId} changes no contact`)
    return step
  }
}
