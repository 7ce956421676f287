/**
 * What somebody has typed here that cannot be: not what the service has said of what was sent before, which may be sent again; nor what can't
 * be changed here.
 */
const WRONG = '[aria-invalid="true"]:not([data-told]):not(:disabled)'

/** Whether something in a form is shown in red. */
export const hasWrong = (form: HTMLElement): boolean => form.querySelector(WRONG) !== null

/** The same: it is not what would be saved. It has the focus then. */
export function isWrong(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>(WRONG)
  wrong?.focus()
  return wrong !== null
}
