import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DriplineError } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Notice } from '../../components/Notice.tsx'
import { type FoundProblem } from '../builder/problems.ts'
import { stepAtPointer } from '../builder/step-tree.ts'
import type { Rehearsed } from './scenario.ts'
import classes from './rehearsal.module.css'

/** The problem that keeps the draft from being rehearsed, with a link to its place in the builder. */
export function DraftProblem({
  automationId,
  problem,
  action,
}: {
  automationId: string
  problem: FoundProblem
  action: ReactNode
}) {
  return (
    <Notice title="The draft is not complete" className={classes.notice}>
      <p className="t2">
        {problem.name}: {problem.problem}. <StepLink automationId={automationId} step={problem.at} />
      </p>
      {action}
    </Notice>
  )
}

/** An error of the server, with a link to the step that it is about. */
export function RehearsalError({
  error,
  automationId,
  rehearsed,
}: {
  error: unknown
  automationId: string
  rehearsed: Rehearsed
}) {
  const pointer = (error instanceof DriplineError && error.param) || ''
  const step = stepAtPointer(rehearsed.sequence.steps, pointer)
  return (
    <div className={classes.notice}>
      <ErrorBanner error={error} />
      {step && <StepLink automationId={automationId} step={step.id} />}
    </div>
  )
}

function StepLink({ automationId, step }: { automationId: string; step: string }) {
  const { workspace } = useWorkspace()
  return (
    <Link
      className="link"
      to="/w/$workspaceId/automations/$automationId"
      params={{ workspaceId: workspace.id, automationId }}
      search={{ step }}
    >
      Edit
    </Link>
  )
}
