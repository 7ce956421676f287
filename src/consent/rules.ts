import { type SuppressionReason, suppresses } from '../contacts/index.ts'
import type { EndCause, EndedContact } from '../enrollments/index.ts'

/** A running enrollment of a contact. */
export interface ActiveEnrollment {
  automationId: string
  contactId: string
  /** The number of emails in its automation, and how many of them are transactional. */
  emails: number
  transactional: number
  /** The list that the contact joined to start it. */
  addedTo: string | null
  /** The list that it asks the contact to confirm. */
  asksFor: string | null
}

/** The emails that a contact must no longer get. */
export type StoppedEmails =
  /** Marketing or, for some reasons, all email. */
  | { kind: 'address'; reason: SuppressionReason }
  /** Marketing of enrollments that joining this list started. */
  | { kind: 'list'; listId: string }
  /** Emails that ask the contact to confirm this list. */
  | { kind: 'request'; listId: string }

/**
 * Decides which enrollments end: those that may send none of their emails. An enrollment with a transactional email continues
 * after an unsubscribe, and skips the others. An enrollment without emails continues.
 *
 * @param stopsOf returns the stops of a contact
 * @returns them with the first stop that applies as the cause
 */
export const enrollmentsToEnd = (
  enrollments: readonly ActiveEnrollment[],
  stopsOf: (contactId: string) => readonly StoppedEmails[],
): EndedContact[] =>
  enrollments.flatMap(({ automationId, contactId, emails, ...enrollment }) => {
    const stop = emails > 0 && stopsOf(contactId).find((each) => isStopped(enrollment, each))
    return stop ? [{ automationId, contactId, cause: causeOf(stop) }] : []
  })

function causeOf(stop: StoppedEmails): EndCause {
  switch (stop.kind) {
    case 'address':
      return { cause: 'SUPPRESSED', reason: stop.reason }
    case 'list':
      return { cause: 'LEFT_LIST', listId: stop.listId }
    case 'request':
      return { cause: 'CONFIRMED_LIST', listId: stop.listId }
  }
}

function isStopped(
  { transactional, addedTo, asksFor }: Pick<ActiveEnrollment, 'transactional' | 'addedTo' | 'asksFor'>,
  stop: StoppedEmails,
): boolean {
  switch (stop.kind) {
    case 'address':
      return transactional === 0 || suppresses(stop.reason, 'transactional')
    case 'list':
      return transactional === 0 && addedTo === stop.listId
    case 'request':
      return asksFor === stop.listId
  }
}
