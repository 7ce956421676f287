import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { RemoveFromAutomation } from '../../components/RemoveFromAutomation.tsx'
import { SkipWaitButton } from '../../components/SkipWaitButton.tsx'
import { ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime, Time } from '../../components/Time.tsx'
import { effectOfNextStep } from './next-step.ts'
import { Progress } from './UpcomingSteps.tsx'
import classes from './contact.module.css'

/** Lists the automations in which a contact is or was, with their progress. */
export function ContactEnrollments({
  enrollments,
  automations,
}: {
  enrollments: readonly Schemas['Enrollment'][]
  automations: ReadonlyMap<string, Schemas['Automation']>
}) {
  if (enrollments.length === 0) return <p className="t2">Not in any automation.</p>
  return (
    <ul aria-label="Enrollments">
      {enrollments.map((enrollment) => (
        <Enrollment key={enrollment.id} enrollment={enrollment} automation={automations.get(enrollment.automationId)} />
      ))}
    </ul>
  )
}

function Enrollment({
  enrollment,
  automation,
}: {
  enrollment: Schemas['Enrollment']
  automation: Schemas['Automation'] | undefined
}) {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  const { automationId, contactId, status, paused, nextAt, nextStepId, enrolledAt, version } = enrollment
  const name = automation?.name ?? 'Deleted automation'
  return (
    <li className={classes.enrollment}>
      <div className="row">
        <Link
          className="strong cut"
          to="/w/$workspaceId/automations/$automationId"
          params={{ workspaceId: workspace.id, automationId }}
        >
          {name}
        </Link>
        <span className="push">
          <StatusBadge status={ENROLLMENT_STATUS[paused ? 'PAUSED' : status]} />
        </span>
      </div>
      <Progress enrollment={enrollment} automation={automation} />
      <p className="small t2">
        Entered <Time at={enrolledAt} />, version {version}
        {status === 'ACTIVE' &&
          (paused ? (
            '. Waiting: the automation is paused'
          ) : (
            <>
              . Next step <NextStepTime at={nextAt} />
            </>
          ))}
      </p>
      {status === 'ACTIVE' && canEdit && (
        <div className={classes.remove}>
          <SkipWaitButton
            name={`Skip wait: ${name}`}
            automationId={automationId}
            contactId={contactId}
            nextAt={paused ? null : nextAt}
            effect={effectOfNextStep(automation, nextStepId)}
          />
          <RemoveFromAutomation
            name={`Remove from automation… ${name}`}
            automationId={automationId}
            contactId={contactId}
          />
        </div>
      )}
    </li>
  )
}
