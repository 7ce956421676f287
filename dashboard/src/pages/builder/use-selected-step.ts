import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useWorkspace } from '../../api/workspace.tsx'
import type { Selected } from './canvas-context.ts'

/**
 * The selected step and the view, which are in the URL.
 *
 * @param focusInvalid focuses an invalid field, if there is one: leaving the step would lose its text
 */
export function useSelectedStep(automationId: string, focusInvalid: () => boolean) {
  const { workspace } = useWorkspace()
  const { view = 'edit', step } = useSearch({ from: '/w/$workspaceId/automations/$automationId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/automations/$automationId' })
  const select = useCallback(
    (next: Selected) =>
      void navigate({
        // An absolute target, because a navigation to another page may be in progress.
        to: '/w/$workspaceId/automations/$automationId',
        params: { workspaceId: workspace.id, automationId },
        search: (before) => ({ ...before, step: next }),
        replace: true,
      }),
    [navigate, workspace.id, automationId],
  )
  return {
    view,
    selected: step ?? 'trigger',
    hasSelection: step !== undefined,
    select,
    selectIfValid: (next: Selected) => {
      if (!focusInvalid()) select(next)
    },
    /** Clears the selection. */
    clear: () => {
      if (!focusInvalid()) void navigate({ search: { view }, replace: true })
    },
    show: (as: typeof view) => {
      if (!focusInvalid()) void navigate({ search: (before) => ({ ...before, view: as }) })
    },
  }
}
