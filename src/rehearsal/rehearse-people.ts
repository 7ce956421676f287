import { createHash } from 'node:crypto'
import type { EventFact } from '../segments/index.ts'
import type { LastEnrollment } from './facts-queries.ts'
import { type RehearsedCourse, rehearseContact } from './rehearse-contact.ts'
import { keyOf, type RehearsedAutomation, type Setting } from './rehearsed-automation.ts'
import type { ContactState } from './rehearsed-contact.ts'

/** An event that contacts are supposed to have. */
export interface SupposedEvent {
  /** The name as `foldName` returns it. */
  name: string
  /** Minutes after the contact enters. */
  afterMinutes: number
  /** The share of the contacts who have it, from 0 to 1. */
  share: number
  data: Record<string, unknown>
}

/** A contact, and when they enter. */
export interface Person {
  state: ContactState
  /** Times at which they enter, unless they are in the automation then, with the events that enroll them. In order. */
  entries: readonly { at: number; event: EventFact | null }[]
  lastEnrollment: LastEnrollment | null
}

/** Rehearses all enrollments of a contact, one after the other. */
export function rehearsePerson(
  automation: RehearsedAutomation,
  { state, entries, lastEnrollment }: Person,
  setting: Setting,
  supposed: readonly SupposedEvent[],
): RehearsedCourse {
  const course: RehearsedCourse = { timeline: [], emails: [] }
  /** The last enrollment and its end, by the concurrency key. */
  const earlier = new Map<string, { enrolledAt: number; endedAt: number }>()
  for (const { at, event } of entries) {
    const key = automation.keyPath === null ? '' : (keyOf(automation.keyPath, event?.data) ?? '')
    const before = earlier.get(key)
    if (before && at < before.endedAt) continue
    const lastEntry = before ? { ...before, isActive: false } : lastEnrollment
    const isEntry = (each: EventFact) => each === event || (each.id !== undefined && each.id === event?.id)
    const events = [
      ...state.events.filter((each) => each.at > at && !isEntry(each)),
      ...supposed
        .filter((each) => isAmong(state.id, each))
        .map(({ name, afterMinutes, data }) => ({ name, data, at: at + afterMinutes * 60_000 })),
    ].sort((a, b) => a.at - b.at)
    const past = { ...state, events: state.events.filter((each) => each.at <= at && !isEntry(each)) }
    const { timeline, emails } = rehearseContact(automation, { state: past, at, event, lastEntry, events }, setting)
    course.timeline.push(...timeline)
    course.emails.push(...emails)
    const last = timeline.at(-1)!
    if (last.type === 'REFUSED') continue
    earlier.set(key, { enrolledAt: at, endedAt: last.at })
  }
  return course
}

/** Chooses the same contacts for an event in each rehearsal. */
function isAmong(contactId: string, { name, afterMinutes, share }: SupposedEvent): boolean {
  if (share >= 1) return true
  const hash = createHash('sha256').update(`${contactId} ${name} ${afterMinutes}`).digest()
  return hash.readUIntBE(0, 6) / 2 ** 48 < share
}
