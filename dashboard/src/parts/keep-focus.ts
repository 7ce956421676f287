/**
 * A button or a field that is shut while something is sent loses the focus, and whoever works by keys is at the beginning of the page. When it is
 * open again it has the focus back, unless something else has been chosen meanwhile.
 */
export function keepFocus(): void {
  let last: HTMLElement | undefined
  let shut: HTMLElement | undefined
  addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? target : undefined
    shut = undefined
  })
  const forget = () => (last = shut = undefined)
  // Left by whoever had it; one that is shut is left by nobody.
  addEventListener('focusout', ({ target }) => {
    if (target === last && !last?.matches(':disabled')) forget()
  })
  addEventListener('pointerdown', () => (shut || last?.matches(':disabled')) && forget())
  new MutationObserver(() => {
    if (last?.matches(':disabled')) shut = last
    if (!shut || shut.matches(':disabled') || !shut.isConnected) return
    if (document.activeElement === null || document.activeElement === document.body) shut.focus({ preventScroll: true })
    shut = undefined
  }).observe(document, { subtree: true, attributeFilter: ['disabled'] })
}
