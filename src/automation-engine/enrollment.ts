/** Statuses of an enrollment. It is ACTIVE until it ends in one of the other three. */
export const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'STOPPED', 'CANCELLED'] as const
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]
export type EndStatus = Exclude<EnrollmentStatus, 'ACTIVE'>

/** A contact in an automation. A contact has at most one active enrollment in each automation. */
export interface EnrollmentKey {
  automationId: string
  contactId: string
}

/** Places as parameters of `unnest`: the automations' IDs, and the contacts'. */
export const enrollmentKeyColumns = (places: readonly EnrollmentKey[]): [string[], string[]] => [
  places.map(({ automationId }) => automationId),
  places.map(({ contactId }) => contactId),
]

/**
 * The workflow ID of a contact's enrollment in an automation. Temporal runs at most one execution per ID, which guarantees that a
 * contact is not enrolled twice.
 */
export const enrollmentWorkflowId = (automationId: string, contactId: string): string =>
  `enrollment:${automationId}:${contactId}`.toLowerCase()

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
