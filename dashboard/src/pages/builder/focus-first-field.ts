const FIELDS = 'input:not(:disabled), textarea:not(:disabled), [contenteditable=true]'

/** Focuses the first field of the side panel, or its first button. */
export function focusFirstField(panel: HTMLElement | null): void {
  const field = panel?.querySelector<HTMLElement>(FIELDS) ?? panel?.querySelector<HTMLElement>('button:not(:disabled)')
  // After a menu has closed.
  requestAnimationFrame(() => field?.focus())
}
