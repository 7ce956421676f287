import { ActionIcon, TextInput, VisuallyHidden } from '@mantine/core'
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { AUTOMATION_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { type AutomationView, AutomationViews } from './AutomationViews.tsx'
import classes from './Builder.module.css'
import { SaveStatus } from './SaveStatus.tsx'
import type { DraftState } from './use-draft.ts'

/** The bar above the canvas: the name, the status, the views, and undo and redo. */
export function BuilderBar({
  automation,
  name,
  draftState,
  view,
  canEdit,
  focusInvalid,
  children,
}: {
  automation: Schemas['Automation']
  /** The name in the draft, or the published one. */
  name: string
  draftState: DraftState
  view: AutomationView
  canEdit: boolean
  /** Focuses an invalid field, if there is one. */
  focusInvalid: () => boolean
  /** Further actions. */
  children: ReactNode
}) {
  const { workspace } = useWorkspace()
  const { edited, act } = draftState
  return (
    <header className={classes.bar}>
      <VisuallyHidden component="h1">{name}</VisuallyHidden>
      <Link to="/w/$workspaceId/automations" params={{ workspaceId: workspace.id }} className={`t3 ${classes.crumb}`}>
        Automations
      </Link>
      <TextInput
        className={classes.name}
        aria-label="Name"
        variant="unstyled"
        value={name}
        readOnly={!canEdit}
        onChange={({ currentTarget: { value } }) =>
          act({ do: 'change', change: { do: 'set', fields: { name: value } } })
        }
      />
      <StatusBadge status={AUTOMATION_STATUS[automation.status]} />
      <SaveStatus draftState={draftState} />
      <AutomationViews automationId={automation.id} value={view} mayLeave={() => !focusInvalid()} />
      {canEdit && (
        <>
          <ActionIcon aria-label="Undo" disabled={edited.before.length === 0} onClick={() => act({ do: 'undo' })}>
            <IconArrowBackUp aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label="Redo" disabled={edited.after.length === 0} onClick={() => act({ do: 'redo' })}>
            <IconArrowForwardUp aria-hidden />
          </ActionIcon>
        </>
      )}
      {children}
    </header>
  )
}
