import { Button } from '@mantine/core'
import { IconFilter, IconX } from '@tabler/icons-react'
import {
  isIncomplete,
  type Loose,
  newCondition,
  type Source,
  usesSource,
} from '../../../components/conditions/condition.ts'
import { ConditionCount } from '../../../components/conditions/ConditionCount.tsx'
import { ConditionEditor } from '../../../components/conditions/ConditionEditor.tsx'
import classes from '../Builder.module.css'
import { useFieldsContext } from './fields-context.ts'

/** Edits a condition of the automation, and counts its contacts if it is about contacts alone. */
export function AutomationCondition({
  label,
  condition,
  onChange,
  sources: only,
  event,
}: {
  label: string
  condition: Loose
  onChange: (condition: Loose) => void
  /** The data that it may use, if not that of the automation. */
  sources?: readonly Source[]
  /** The event whose data it may use, if not the one that starts the automation. */
  event?: string
}) {
  const { sources, emails, trigger } = useFieldsContext()
  return (
    <div className={classes.rows}>
      <ConditionEditor
        label={label}
        condition={condition}
        onChange={onChange}
        sources={only ?? sources}
        emails={emails}
        event={event ?? trigger}
      />
      {!isIncomplete(condition) && !usesSource(condition) && <ConditionCount condition={condition} />}
    </div>
  )
}

/** A condition that can be absent. */
export function OptionalCondition({
  label,
  add,
  condition,
  onChange,
  sources,
  event,
}: {
  label: string
  /** The label of the button that adds it. */
  add: string
  condition: Loose | null | undefined
  onChange: (condition: Loose | undefined) => void
  sources: readonly Source[]
  event?: string
}) {
  if (!condition)
    return (
      <div>
        <Button
          leftSection={<IconFilter aria-hidden />}
          onClick={() => onChange(newCondition(sources.includes('eventData') ? 'eventData' : 'metadata'))}
        >
          {add}
        </Button>
      </div>
    )
  return (
    <div className={classes.rows}>
      <AutomationCondition
        label={label}
        condition={condition}
        onChange={onChange}
        sources={sources}
        {...(event !== undefined && { event })}
      />
      <div>
        <Button variant="subtle" color="gray" leftSection={<IconX aria-hidden />} onClick={() => onChange(undefined)}>
          Remove filter
        </Button>
      </div>
    </div>
  )
}
