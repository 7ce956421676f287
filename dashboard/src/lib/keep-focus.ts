/** How long whoever has opened something has to be back where they were when it closes, in milliseconds: see `useReturnFocus`. */
const RETURN_MS = 150

/**
 * Whoever works by keys is not thrown back to the beginning of the page.
 *
 * A button or a field that is shut while something is sent loses the focus. When it is open again it has the focus back, unless something else
 * has been chosen meanwhile. Where what had the focus is gone, what it was in has it, and the next key goes on from there.
 */
export function keepFocus(): void {
  let last: HTMLElement | undefined
  let within: HTMLElement[] = []
  let shut: HTMLElement | undefined
  addEventListener('focusin', ({ target }) => {
    last = target instanceof HTMLElement ? target : undefined
    within = last ? ancestorsOf(last) : []
    shut = undefined
  })
  const isLeft = (target: EventTarget | null) =>
    target === last && last !== document.activeElement && last?.isConnected && !last.matches(':disabled')
  const forget = () => {
    last = shut = undefined
    within = []
  }
  // Left by whoever had it; one that is shut, or gone, is left by nobody. That it goes is told of before it is gone.
  addEventListener('focusout', ({ target }) => {
    if (target === last && !last?.matches(':disabled')) setTimeout(() => isLeft(target) && forget())
  })
  addEventListener('pointerdown', () => (shut || last?.matches(':disabled')) && forget())
  new MutationObserver(() => {
    if (last?.matches(':disabled')) shut = last
    if (!shut || shut.matches(':disabled') || !shut.isConnected) return
    if (isFocusLost()) shut.focus({ preventScroll: true })
    shut = undefined
  }).observe(document, { subtree: true, attributeFilter: ['disabled'] })
  new MutationObserver(() => {
    if (!last || last.isConnected) return
    const left = within
    forget()
    setTimeout(
      () => isFocusLost() && focusContainer(left.find((each) => each.isConnected && each.closest('main, header'))),
      RETURN_MS,
    )
  }).observe(document, { subtree: true, childList: true })
}

const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = []
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) found.push(at)
  return found
}

/** Has something that takes no keys itself be where the next one goes on from. */
function focusContainer(element: HTMLElement | undefined): void {
  if (!element) return
  const isMade = !element.hasAttribute('tabindex')
  if (isMade) element.tabIndex = -1
  element.focus({ preventScroll: true })
  if (isMade) element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
}
