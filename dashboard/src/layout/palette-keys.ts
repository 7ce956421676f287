/** Text typed into the palette before its code is loaded; `null` unless it is being opened. */
let typed: string | null = null
let isLoaded = false

/** Returns the text typed so far, once, and leaves the keys to the palette from then on. */
export function takeTyped(): string | null {
  const taken = typed
  typed = null
  isLoaded = true
  return taken
}

/**
 * Keeps the keys after ⌘K until the palette is loaded. Without it, they would be shortcuts of the page.
 *
 * @returns a function that ends it
 */
export function keepPaletteKeys(): () => void {
  const keep = (event: KeyboardEvent) => {
    if (isLoaded) return
    const isCommand = event.metaKey || event.ctrlKey
    if (isCommand && event.key.toLowerCase() === 'k') typed ??= ''
    else if (typed === null || isCommand) return
    else if (event.key === 'Escape') typed = null
    else if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else if (event.key.length === 1) typed += event.key
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  window.addEventListener('keydown', keep, { capture: true })
  return () => window.removeEventListener('keydown', keep, { capture: true })
}
