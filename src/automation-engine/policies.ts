/** What an automation lets its sequences do. */

/** A draft and a paused one send nothing and start nobody by a trigger; an archived one lets those who are in it go on. */
export const AUTOMATION_STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number]

/** The statuses in which a contact in mid-sequence gets its next email; in the others it holds. */
const SENDING: readonly AutomationStatus[] = ['ACTIVE', 'ARCHIVED']
export const sends = (status: AutomationStatus): boolean => SENDING.includes(status)

/** The same for statements, behind `status in`. */
export const SENDING_STATUSES = `(${SENDING.map((status) => `'${status}'`).join(', ')})`

/** What a permanent refusal of one email (SMTP 5xx) does to the contact's sequence. */
export const SEND_FAILURE_POLICIES = ['CONTINUE', 'STOP'] as const
export type SendFailurePolicy = (typeof SEND_FAILURE_POLICIES)[number]
