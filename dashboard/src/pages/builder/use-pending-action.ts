import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useWorkspace } from '../../api/workspace.tsx'
import type { ActionOutcome, AutomationAction } from './ConfirmPanel.tsx'
import type { LoadedAutomation } from './load-automation.ts'
import type { DraftState } from './use-draft.ts'
import type { OpenedAutomation } from './use-opened-automation.ts'

/** An action that waits for confirmation. */
interface PendingAction {
  action: AutomationAction
  /** The state that the user sees when they choose the action: later changes must not be lost unread. */
  opened: LoadedAutomation
  /** Remounts the panel when the user chooses again, so that it shows current data. */
  key: number
}

/** The action on the automation that waits for confirmation, and its effect on the builder. */
export function usePendingAction(current: OpenedAutomation, draftState: DraftState) {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const [pending, setPending] = useState<PendingAction>()
  return {
    pending,
    ask: (action: AutomationAction) =>
      setPending((before) => ({ action, opened: current.opened, key: (before?.key ?? 0) + 1 })),
    cancel: () => setPending(undefined),
    finish: async (is: ActionOutcome) => {
      // Does not navigate if the user left the page.
      if (!current.isMounted()) return
      setPending((now) => (now === pending ? undefined : now))
      if (is === 'discarded') {
        // Immediately: the discarded draft must not be edited further, even if the reload fails.
        current.open({ ...current.opened, draft: undefined, sequence: current.running })
        return await current.openAgain('none')
      }
      if (is !== 'deleted') return current.apply(is)
      draftState.giveUp()
      await navigate({ to: '/w/$workspaceId/automations', params: { workspaceId: workspace.id } })
    },
  }
}
