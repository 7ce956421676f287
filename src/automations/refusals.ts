import { invalid, notFound } from '../platform/refusal.ts'

export const AUTOMATION_NOT_FOUND = 'Automation not found'
/** What is told of an automation that nobody can be enrolled in: it is not told apart from one that there is not. */
export const AUTOMATION_NOT_ACTIVE = 'Automation not found or not active'
/** What a template says that is none, for instance. */
export const TEMPLATE_INVALID = 'steps[0].html is no valid template: tag "if" not closed, line:1, col:1'

export const automationNotFound = () => notFound(AUTOMATION_NOT_FOUND)
/** @param reason why it never would, and what to do about it. */
export const neverActs = (reason: string) =>
  invalid(`An ACTIVE automation must be able to act, and this one never would: ${reason}. Or leave it a DRAFT.`)
