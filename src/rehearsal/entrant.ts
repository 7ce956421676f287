import type { AppliedChange } from '../contacts/index.ts'
import type { EventFact, MessageFact } from '../segments/index.ts'
import type { ContactState } from './rehearsed-contact.ts'

/** A contact who enters, and what happens to them afterwards. Times are milliseconds since 1970. */
export interface Entrant {
  state: ContactState
  at: number
  /** The event that enrolls them, if it is an event. */
  event: EventFact | null
  /** Their most recent enrollment. */
  lastEntry: { enrolledAt: number; isActive: boolean } | null
  /** The events and changes after they enter, in the order of their times. */
  events: readonly Happening[]
}

/** An event of a contact, a change from outside of the automation, or an email that another automation sends. */
export type Happening = EventFact | { at: number; change: AppliedChange } | { at: number; message: MessageFact }
