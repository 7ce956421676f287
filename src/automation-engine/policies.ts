/**
 * Statuses of an automation. DRAFT and PAUSED automations send nothing, and their triggers start no enrollments. In an ARCHIVED
 * automation, the current enrollments continue.
 */
export const AUTOMATION_STATUSES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number]

/** Statuses in which enrollments get their next email. In the others they pause. */
const SENDING: readonly AutomationStatus[] = ['ACTIVE', 'ARCHIVED']
export const canSend = (status: AutomationStatus): boolean => SENDING.includes(status)

/** The same statuses for SQL, after `status in`. */
export const SENDING_STATUSES = `(${SENDING.map((status) => `'${status}'`).join(', ')})`

/** Effect of a permanent rejection of an email (SMTP 5xx) on the contact's sequence. */
export const SEND_FAILURE_POLICIES = ['CONTINUE', 'STOP'] as const
export type SendFailurePolicy = (typeof SEND_FAILURE_POLICIES)[number]
