import { SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useWorkspace } from '../../api/workspace.tsx'
import classes from './Builder.module.css'

const VIEWS = [
  { value: 'edit', label: 'Edit' },
  { value: 'numbers', label: 'Stats' },
  { value: 'rehearse', label: 'Rehearse' },
  { value: 'report', label: 'Report' },
] as const
export type AutomationView = (typeof VIEWS)[number]['value']

/** Switches between the builder, its numbers, the rehearsal, and the report. @param mayLeave returns whether the page may be left */
export function AutomationViews({
  automationId,
  value,
  mayLeave = () => true,
}: {
  automationId: string
  value: AutomationView
  mayLeave?: () => boolean
}) {
  const { workspace } = useWorkspace()
  const navigate = useNavigate()
  const params = { workspaceId: workspace.id, automationId }
  const show = (view: AutomationView) => {
    if (!mayLeave()) return
    if (view === 'report' || view === 'rehearse')
      return void navigate({ to: `/w/$workspaceId/automations/$automationId/${view}`, params })
    void navigate({
      to: '/w/$workspaceId/automations/$automationId',
      params,
      search: ({ step }) => ({ view, ...(step !== undefined && { step }) }),
    })
  }
  return (
    <SegmentedControl className={classes.views} aria-label="View" value={value} onChange={show} data={[...VIEWS]} />
  )
}
