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
  /** All email. */
  | { kind: 'all' }
  /** Marketing. */
  | { kind: 'marketing' }
  /** Marketing of enrollments that joining this list started. */
  | { kind: 'list'; listId: string }
  /** Emails that ask the contact to confirm this list. */
  | { kind: 'request'; listId: string }

/**
 * Decides which enrollments end: those that may send none of their emails. An enrollment with a transactional email continues
 * after an unsubscribe, and skips the others. An enrollment without emails continues.
 *
 * @param stopsOf returns the stops of a contact
 */
export const enrollmentsToEnd = (
  enrollments: readonly ActiveEnrollment[],
  stopsOf: (contactId: string) => readonly StoppedEmails[],
): ActiveEnrollment[] =>
  enrollments.filter(
    ({ contactId, emails, ...enrollment }) =>
      emails > 0 && stopsOf(contactId).some((stop) => isStopped(enrollment, stop)),
  )

function isStopped(
  { transactional, addedTo, asksFor }: Pick<ActiveEnrollment, 'transactional' | 'addedTo' | 'asksFor'>,
  stop: StoppedEmails,
): boolean {
  switch (stop.kind) {
    case 'all':
      return true
    case 'marketing':
      return transactional === 0
    case 'list':
      return transactional === 0 && addedTo === stop.listId
    case 'request':
      return asksFor === stop.listId
  }
}
