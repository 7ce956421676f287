/**
 * Statuses of an enrollment. It is ACTIVE until it ends: COMPLETED after the last step, STOPPED by a rejected email, EXITED by an
 * exit rule or step, GOAL_REACHED, or CANCELLED.
 */
export const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'STOPPED', 'EXITED', 'GOAL_REACHED', 'CANCELLED'] as const
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]
export type EndStatus = Exclude<EnrollmentStatus, 'ACTIVE'>

/** A contact in an automation, with all of its keys: see `Place`. */
export interface ContactInAutomation {
  automationId: string
  contactId: string
}

/** Contacts in automations as parameters of `unnest`: the automations' IDs, and the contacts'. */
export const contactInAutomationColumns = (places: readonly ContactInAutomation[]): [string[], string[]] => [
  places.map(({ automationId }) => automationId),
  places.map(({ contactId }) => contactId),
]

/** The place of an enrollment. A contact has at most one active enrollment in each. */
export interface Place extends ContactInAutomation {
  /** A hash of the value by which a contact can be in the automation several times: see `concurrencyKeyOf`. Empty for none. */
  concurrencyKey: string
}

/** Reads the place from an input of a workflow, in which an empty key is left out. */
export const placeOf = ({
  automationId,
  contactId,
  concurrencyKey = '',
}: ContactInAutomation & { concurrencyKey?: string }): Place => ({ automationId, contactId, concurrencyKey })

/**
 * The workflow ID of a place. Temporal runs at most one execution per ID, which guarantees that a contact is not enrolled twice.
 */
export const enrollmentWorkflowId = ({ automationId, contactId, concurrencyKey }: Place): string =>
  `enrollment:${automationId}:${contactId}${concurrencyKey && `:${concurrencyKey}`}`.toLowerCase()

/** Deduplication key of an enrollment by an API call, unique per automation. A second run with the same key ends immediately. */
export const callDedupKey = (callId: string): string => `call:${callId}`

/** Deduplication key of an enrollment by a trigger event. */
export const eventDedupKey = (triggerEventId: string): string => `event:${triggerEventId}`

/** Events that an enrollment has received. If they are delivered again, they start nothing. */
export interface ReceivedEvents {
  automationId: string
  contactId: string
  eventIds: readonly string[]
}
