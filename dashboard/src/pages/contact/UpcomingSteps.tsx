import type { Schemas } from '../../api/client.ts'
import { dayNumber, monthOf, weekdayTime, zone } from '../../lib/format.ts'
import { Section } from '../../layout/Page.tsx'
import classes from './contact.module.css'

type Enrollment = Schemas['Enrollment']
type Automation = Schemas['Automation']

/** What is due for a contact by a timer, the next first: it is to come, so it is drawn hollow. */
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
    .filter(({ status, held, nextAt }) => status === 'ACTIVE' && !held && nextAt !== null)
    .toSorted((a, b) => Date.parse(a.nextAt!) - Date.parse(b.nextAt!))
  if (due.length === 0) return null
  return (
    <Section title={`Next for ${name}`} meta={zone}>
      <ol>
        {due.map(({ id, automationId, nextAt, nextStepId }) => {
          const at = new Date(nextAt!)
          const automation = automations.get(automationId)
          const step = automation?.steps.find((each) => each.id === nextStepId)
          return (
            <li key={id} className={classes.next}>
              <time className={classes.date} dateTime={nextAt!}>
                <strong>{dayNumber(at)}</strong>
                {monthOf(at)}
              </time>
              <div>
                <p className="strong">
                  {step?.type === 'EMAIL' ? step.subject : nextStepId === null ? 'The end of the sequence' : 'An email'}
                </p>
                <p className="small t2">
                  {weekdayTime(at)}
                  {automation && `, ${automation.name}`}
                </p>
              </div>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}

/** How far somebody is: a part for each step, those behind solid, and hollow what is to come. */
export function Progress({ enrollment, automation }: { enrollment: Enrollment; automation: Automation | undefined }) {
  // Of another version than the present one nobody here knows the steps.
  if (!automation || automation.version !== enrollment.version || automation.steps.length > 40) return null
  const { steps } = automation
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
