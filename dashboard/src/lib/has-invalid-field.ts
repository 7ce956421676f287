/**
 * Fields with invalid input. Excludes errors that submitting checks again, such as those from the server, and disabled fields.
 */
const INVALID_SELECTOR = '[aria-invalid="true"]:not([data-rechecked]):not(:disabled)'

export const hasInvalidField = (form: HTMLElement): boolean => form.querySelector(INVALID_SELECTOR) !== null

/** Focuses the first invalid field. @returns whether there is one */
export function focusInvalidField(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>(INVALID_SELECTOR)
  wrong?.focus()
  return wrong !== null
}
