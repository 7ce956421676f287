/** A contact is ACTIVE in an automation until its sequence ends in one of the other three. */
export const ENROLLMENT_STATUSES = ['ACTIVE', 'COMPLETED', 'STOPPED', 'CANCELLED'] as const
export type EnrollmentStatus = (typeof ENROLLMENT_STATUSES)[number]
export type EndStatus = Exclude<EnrollmentStatus, 'ACTIVE'>

/** Where a contact is enrolled: they are in an automation once at a time. */
export interface EnrollmentPlace {
  automationId: string
  contactId: string
}

/** Places as the parameters of `unnest`: the automations' IDs, and the contacts'. */
export const placeColumns = (places: readonly EnrollmentPlace[]): [string[], string[]] => [
  places.map(({ automationId }) => automationId),
  places.map(({ contactId }) => contactId),
]

/**
 * The workflow id of a contact's enrollment in an automation. Temporal lets one execution an id run at a time:
 * this is the rule that nobody is enrolled twice.
 */
export const enrollmentWorkflowId = (automationId: string, contactId: string): string =>
  `enrollment:${automationId}:${contactId}`.toLowerCase()

/** What started an enrollment, unique per automation: here a call. A second run for the same cause ends. */
export const callDedupKey = (callId: string): string => `call:${callId}`

/** And here a trigger event. */
export const eventDedupKey = (triggerEventId: string): string => `event:${triggerEventId}`

/** Events that an enrollment has received of: delivered again, they start nothing. */
export interface Received {
  automationId: string
  contactId: string
  eventIds: readonly string[]
}
