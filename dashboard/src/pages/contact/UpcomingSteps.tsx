import type { Schemas } from '../../api/client.ts'
import { dayNumber, monthOf, weekdayTime, zone } from '../../lib/format.ts'
import { Section } from '../../layout/Page.tsx'
import { SkipWaitButton } from '../../components/SkipWaitButton.tsx'
import { branchesOf } from '../builder/step-tree.ts'
import { STEP_TYPES } from '../builder/step-types.ts'
import { readSteps } from '../builder/steps.ts'
import { effectOfNextStep, stepOf } from './next-step.ts'
import classes from './contact.module.css'

type Enrollment = Schemas['Enrollment']
type Automation = Schemas['Automation']

/** Lists the scheduled steps of a contact, the next one first. */
export function UpcomingSteps({
  name,
  enrollments,
  automations,
}: {
  name: string
  enrollments: readonly Enrollment[]
  automations: ReadonlyMap<string, Automation>
}) {
  const due = enrollments
    .filter(({ status, paused, nextAt }) => status === 'ACTIVE' && !paused && nextAt !== null)
    .toSorted((a, b) => Date.parse(a.nextAt!) - Date.parse(b.nextAt!))
  if (due.length === 0) return null
  return (
    <Section title={`Next for ${name}`} meta={zone}>
      <ol>
        {due.map(({ id, automationId, contactId, nextAt, nextStepId }) => {
          const at = new Date(nextAt!)
          const automation = automations.get(automationId)
          const step = nextStepId === null ? undefined : stepOf(automation, nextStepId)
          return (
            <li key={id} className={classes.next}>
              <time className={classes.date} dateTime={nextAt!}>
                <strong>{dayNumber(at)}</strong>
                {monthOf(at)}
              </time>
              <div>
                <p className="strong">
                  {step?.type === 'EMAIL'
                    ? step.subject
                    : nextStepId === null
                      ? 'End of the automation'
                      : STEP_TYPES[step?.type ?? 'EMAIL'].label}
                </p>
                <p className="small t2">
                  {weekdayTime(at)}
                  {automation && `, ${automation.name}`}
                </p>
              </div>
              <span className="push">
                <SkipWaitButton
                  name={`Skip wait: ${automation?.name ?? 'Deleted automation'}`}
                  automationId={automationId}
                  contactId={contactId}
                  nextAt={nextAt}
                  effect={effectOfNextStep(automation, nextStepId)}
                />
              </span>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

/** Shows how far an enrollment is: one segment for each step, filled once passed. */
export function Progress({ enrollment, automation }: { enrollment: Enrollment; automation: Automation | undefined }) {
  // An enrollment that ended early does not say at which step.
  if (enrollment.status !== 'ACTIVE' && enrollment.status !== 'COMPLETED') return null
  // The steps of other versions are not loaded.
  if (!automation || automation.version !== enrollment.version || automation.steps.length > 40) return null
  const steps = readSteps(automation.steps) ?? []
  // The path through branches is not known in advance.
  if (steps.some((step) => branchesOf(step).length > 0)) return null
  const next = steps.findIndex(({ id }) => id === enrollment.nextStepId)
  const passed = enrollment.status === 'COMPLETED' || next === -1 ? steps.length : next
  return (
    <div className={classes.progress} role="img" aria-label={`${passed} of ${steps.length} steps`}>
      {steps.map(({ id }, n) => (
        <span key={id} data-is={n < passed ? 'past' : undefined} />
      ))}
    </div>
  )
}
