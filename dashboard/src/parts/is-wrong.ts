/** Whether something in a form is shown in red: it is not what would be saved. It has the focus then. */
export function isWrong(form: HTMLElement): boolean {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid="true"]')
  wrong?.focus()
  return wrong !== null
}
