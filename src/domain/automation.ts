/** Section 3.1 of the specification; what each status lets happen is in design section 8. */
export const AUTOMATION_STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number]

/** The statuses in which a contact in mid-sequence gets its next email; in the others it holds. */
export const SENDING_STATUSES = ['ACTIVE', 'ARCHIVED'] as const satisfies readonly AutomationStatus[]

/** What a permanent refusal of one email (SMTP 5xx) does to the contact's sequence. */
export const SEND_FAILURE_POLICIES = ['CONTINUE', 'STOP'] as const
export type SendFailurePolicy = (typeof SEND_FAILURE_POLICIES)[number]

/** Specification section 8. */
export const MAX_NAME_LENGTH = 200
