/** Milliseconds to wait before the focus moves, so that `useReturnFocus` can act first. */
const RETURN_MS = 150

/**
 * Keeps the keyboard focus near where it was when its element is disabled or removed.
 *
 * A control that is disabled while a request runs loses the focus, and gets it back when it is enabled, unless the user focused something else. If the focused element is removed, its nearest remaining ancestor gets the focus.
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
  // Ignore blurs caused by disabling or removing the element. The event fires before the removal, so check later.
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

/** Focuses the title of a page that was opened, unless something has the focus, such as the link or a field of the page. */
export function focusTitle(): void {
  setTimeout(() => isFocusLost() && focusContainer(document.querySelector('h1')), RETURN_MS)
}

const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

function ancestorsOf(element: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = []
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) found.push(at)
  return found
}

/** Makes an element focusable and focuses it, until it loses the focus. */
function focusContainer(element: HTMLElement | null | undefined): void {
  if (!element) return
  const isMade = !element.hasAttribute('tabindex')
  if (isMade) element.tabIndex = -1
  element.focus({ preventScroll: true })
  if (isMade) element.addEventListener('blur', () => element.removeAttribute('tabindex'), { once: true })
}
