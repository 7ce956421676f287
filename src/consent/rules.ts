/** A running enrollment of a contact. */
export interface ActiveEnrollment {
  automationId: string
  contactId: string
  /** How many emails its automation has, and how many of them are transactional. */
  emails: number
  transactional: number
  /** The list that the contact joined to start it. */
  addedTo: string | null
  /** The list that it asks the contact to confirm. */
  asksFor: string | null
}

/** What is not sent to a contact any more. */
export type Stop =
  /** All email. */
  | { kind: 'all' }
  /** Marketing. */
  | { kind: 'marketing' }
  /** Marketing that was started by joining this list. */
  | { kind: 'list'; listId: string }
  /** Emails that ask the contact to confirm this list. */
  | { kind: 'request'; listId: string }

/**
 * Decides which enrollments end: those that may not send any of their emails. One with a transactional email goes on after an
 * unsubscribe, and leaves out the others. One without emails goes on.
 *
 * @param stopsOf what is stopped for a contact
 */
export const enrollmentsToEnd = (
  enrollments: readonly ActiveEnrollment[],
  stopsOf: (contactId: string) => readonly Stop[],
): ActiveEnrollment[] =>
  enrollments.filter(
    ({ contactId, emails, ...enrollment }) =>
      emails > 0 && stopsOf(contactId).some((stop) => isStopped(enrollment, stop)),
  )

function isStopped(
  { transactional, addedTo, asksFor }: Pick<ActiveEnrollment, 'transactional' | 'addedTo' | 'asksFor'>,
  stop: Stop,
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
