/**
 * Fields with invalid input. Excludes errors from the server, which may be resubmitted, and disabled fields.
 */
const INVALID_SELECTOR = '[aria-invalid="true"]:not([data-server-error]):not(:disabled)'

export const hasInvalidField = (form: HTMLElement): boolean => form.querySelector(INVALID_SELECTOR) !== null

/** Focuses the first invalid field. @returns whether there is one */
export function focusInvalidField(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>(INVALID_SELECTOR)
  wrong?.focus()
  return wrong !== null
}
