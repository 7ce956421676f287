/** Ignores input that would act twice, or on something that the user did not mean. */
export function guardInput(): void {
  // Ignore the second click of a double click on a submit or primary button.
  addEventListener(
    'click',
    (event) => {
      const isSecond = event.detail > 1 && event.target instanceof Element
      if (isSecond && event.target.closest('button[type=submit], .mantine-Button-root[data-variant=filled]')) {
        event.preventDefault()
        event.stopPropagation()
      }
    },
    { capture: true },
  )

  // Enter in a select field picks an option. It must not submit the form.
  addEventListener('keydown', (event) => {
    const isChoice = event.target instanceof Element && event.target.matches('form input[aria-haspopup="listbox"]')
    if (event.key === 'Enter' && isChoice) event.preventDefault()
  })
}
