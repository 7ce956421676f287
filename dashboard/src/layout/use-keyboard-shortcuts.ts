import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWorkspace } from '../api/workspace.tsx'
import { NAV_ITEMS } from './navigation.ts'

/** Milliseconds after G in which the second key counts. */
const SEQUENCE_TIMEOUT_MS = 1_500

/** Shortcuts do not apply while the user types in one of these. */
const INPUT_SELECTOR = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog]'

/** Finds the first link of each row of a list. */
function rowLinks(): HTMLElement[] {
  const rows = document.querySelectorAll('main tbody tr, main [role=row]')
  return [...rows].flatMap((row) => row.querySelector<HTMLElement>('a[href], button[data-opens]') ?? [])
}

function focusRow(by: 1 | -1): void {
  const all = rowLinks()
  const row = document.activeElement?.closest('tr, [role=row]')
  const at = all.findIndex((each) => row?.contains(each))
  all[at === -1 ? (by === 1 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))]?.focus()
}

/** @param shiftKey selects all rows from the one selected before */
const selectRow = (shiftKey: boolean): void =>
  void document.activeElement
    ?.closest('tr, [role=row]')
    ?.querySelector('input[type=checkbox]')
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }))

/** Handles the shortcuts of every page: G and a letter, J, K and X in a list, and ? for help. */
export function useKeyboardShortcuts(onHelp: () => void): void {
  const navigate = useNavigate()
  const { workspace } = useWorkspace()
  useEffect(() => {
    let since = -Infinity
    const listen = (event: KeyboardEvent) => {
      const { metaKey, ctrlKey, altKey, target } = event
      if (metaKey || ctrlKey || altKey || (target as HTMLElement).closest(INPUT_SELECTOR)) return
      const key = event.key.toLowerCase()
      if (performance.now() - since < SEQUENCE_TIMEOUT_MS) {
        since = -Infinity
        const place = NAV_ITEMS.find((each) => each.key === key)
        if (place) {
          // Stop the page from handling the same key.
          event.stopPropagation()
          return void navigate({ to: place.to, params: { workspaceId: workspace.id } })
        }
      }
      if (key === 'g') since = performance.now()
      else if (key === 'j') focusRow(1)
      else if (key === 'k') focusRow(-1)
      else if (key === 'x') selectRow(event.shiftKey)
      else if (key === '?') onHelp()
    }
    addEventListener('keydown', listen, true)
    return () => removeEventListener('keydown', listen, true)
  }, [navigate, onHelp, workspace.id])
}
