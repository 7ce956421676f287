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
  addEventListener('pointerdown', () => (shut = undefined))
  new MutationObserver(() => {
    if (last?.matches(':disabled')) shut = last
    if (!shut || shut.matches(':disabled') || !shut.isConnected) return
    if (document.activeElement === null || document.activeElement === document.body) shut.focus({ preventScroll: true })
    shut = undefined
  }).observe(document, { subtree: true, attributeFilter: ['disabled'] })
}
