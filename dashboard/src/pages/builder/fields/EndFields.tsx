import { Select } from '@mantine/core'
import { LeaveFields } from './LeaveFields.tsx'
import type { AutomationFieldsProps } from './TriggerFields.tsx'

/** Edits what happens after a bounce, the goal and the exit rules. */
export const EndFields = ({ sequence, set }: AutomationFieldsProps) => (
  <>
    <Select
      label="If an email bounces"
      allowDeselect={false}
      data={[
        { value: 'CONTINUE', label: 'Continue to the next step' },
        { value: 'STOP', label: 'Stop this contact’s enrollment' },
      ]}
      value={sequence.onSendFailure}
      onChange={(value) => value && set({ onSendFailure: value })}
    />
    <LeaveFields sequence={sequence} set={set} />
  </>
)
