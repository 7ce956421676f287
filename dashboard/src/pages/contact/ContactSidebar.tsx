import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { useHasRole, useWorkspace } from '../../api/workspace.tsx'
import { RemoveFromAutomation } from '../../components/RemoveFromAutomation.tsx'
import { SkipWaitButton } from '../../components/SkipWaitButton.tsx'
import { ENROLLMENT_STATUS, StatusBadge } from '../../components/StatusBadge.tsx'
import { NextStepTime, Time } from '../../components/Time.tsx'
import { Section } from '../../layout/Page.tsx'
import { ConsentPanel } from './ConsentPanel.tsx'
import { Progress, UpcomingSteps } from './UpcomingSteps.tsx'
import classes from './contact.module.css'

type Contact = Schemas['Contact']

/** The next steps of a contact, their consent, enrollments and attributes. */
export function ContactSidebar({
  contact,
  enrollments,
  automations,
  onEdit,
}: {
  contact: Contact
  enrollments: readonly Schemas['Enrollment'][]
  automations: ReadonlyMap<string, Schemas['Automation']>
  onEdit: () => void
}) {
  const { workspace } = useWorkspace()
  const canEdit = useHasRole('editor')
  return (
    <>
      <UpcomingSteps name={contact.firstName ?? 'this contact'} enrollments={enrollments} automations={automations} />
      <ConsentPanel contact={contact} />
      <Section title="Enrollments" meta={enrollments.length}>
        {enrollments.length === 0 && <p className="t2">Not in any automation.</p>}
        <ul>
          {enrollments.map((enrollment) => {
            const { id, automationId, status, paused, nextAt } = enrollment
            const automation = automations.get(automationId)
            return (
              <li key={id} className={classes.enrollment}>
                <div className="row">
                  <Link
                    className="strong cut"
                    to="/w/$workspaceId/automations/$automationId"
                    params={{ workspaceId: workspace.id, automationId }}
                  >
                    {automation?.name ?? 'Deleted automation'}
                  </Link>
                  <span className="push">
                    <StatusBadge status={ENROLLMENT_STATUS[paused ? 'PAUSED' : status]} />
                  </span>
                </div>
                <Progress enrollment={enrollment} automation={automation} />
                {status === 'ACTIVE' && (
                  <p className="small t2">
                    {paused ? (
                      'Waiting: the automation is paused'
                    ) : (
                      <>
                        Next step <NextStepTime at={nextAt} />
                      </>
                    )}
                  </p>
                )}
                {status === 'ACTIVE' && canEdit && (
                  <div className={classes.remove}>
                    <SkipWaitButton
                      automationId={automationId}
                      contactId={contact.id}
                      nextAt={paused ? null : nextAt}
                    />
                    <RemoveFromAutomation automationId={automationId} contactId={contact.id} />
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      </Section>
      <Section
        title="Attributes"
        action={
          canEdit && (
            <button type="button" className="link textButton" onClick={onEdit}>
              Edit
            </button>
          )
        }
      >
        <dl className={classes.data}>
          {contact.externalId !== null && (
            <>
              <dt>External ID</dt>
              <dd className="mono">{contact.externalId}</dd>
            </>
          )}
          {Object.entries(contact.metadata).map(([key, value]) => (
            <DataRow key={key} name={key} value={typeof value === 'string' ? value : JSON.stringify(value)} />
          ))}
          <dt>Tags</dt>
          <dd>
            <Chips of={contact.tags} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={contact.createdAt} as="date" />
          </dd>
          <dt>ID</dt>
          <dd className="mono">{contact.id}</dd>
        </dl>
      </Section>
    </>
  )
}

const Chips = ({ of }: { of: readonly string[] }) =>
  of.length === 0 ? (
    <span className="t3">None</span>
  ) : (
    of.map((label) => (
      <span key={label} className={classes.chip}>
        {label}
      </span>
    ))
  )

const DataRow = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
)
