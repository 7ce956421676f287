/**
 * What somebody has typed here that cannot be: not what the service has said of what was sent before, which may be sent again; nor what can't
 * be changed here.
 */
const INVALID_SELECTOR = '[aria-invalid="true"]:not([data-told]):not(:disabled)'

/** Whether something in a form is shown in red. */
export const hasInvalidField = (form: HTMLElement): boolean => form.querySelector(INVALID_SELECTOR) !== null

/** The same: it is not what would be saved. It has the focus then. */
export function focusInvalidField(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>(INVALID_SELECTOR)
  wrong?.focus()
  return wrong !== null
}
