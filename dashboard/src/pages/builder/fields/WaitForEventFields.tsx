import { EventNameInput } from '../../../components/EventNameInput.tsx'
import classes from '../Builder.module.css'
import type { WaitForEventStep } from '../steps.ts'
import { OptionalCondition } from './AutomationCondition.tsx'
import { MinutesFields } from './MinutesFields.tsx'
import type { FieldsProps } from './StepFields.tsx'

/** Edits a wait for an event of the contact. */
export const WaitForEventFields = ({ step, edit, isNew }: FieldsProps<WaitForEventStep>) => (
  <div className={classes.fields}>
    <EventNameInput
      label="Event"
      description="Events received since enrollment also count."
      placeholder="project.created"
      autoFocus={isNew}
      value={step.eventName}
      onChange={(eventName) => edit({ eventName })}
    />
    <OptionalCondition
      label="Only events that match"
      add="Add event filter"
      condition={step.filter}
      onChange={(filter) => edit({ filter: filter ?? null })}
      sources={['eventData']}
      event={step.eventName}
    />
    <fieldset className="plainFields">
      <legend className={classes.legend}>Wait at most</legend>
      <MinutesFields minutes={step.timeoutMinutes} onChange={(timeoutMinutes) => edit({ timeoutMinutes })} />
    </fieldset>
  </div>
)
