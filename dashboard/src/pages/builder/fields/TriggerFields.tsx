import { Select, TextInput } from '@mantine/core'
import { useLists, useSegments } from '../../../api/queries.ts'
import { EventNameInput } from '../../../components/EventNameInput.tsx'
import { SearchableSelect } from '../../../components/SearchableSelect.tsx'
import type { Trigger } from '../../automations/triggers.ts'
import classes from '../Builder.module.css'
import type { AutomationDraft } from '../draft.ts'
import { DateTriggerFields } from './DateTriggerFields.tsx'
import { EntryFields } from './EntryFields.tsx'
import { LeaveFields } from './LeaveFields.tsx'

const TRIGGER_LABELS: Record<Trigger, string> = {
  SIGNUP: 'Contact created',
  LIST_ADDED: 'Added to list',
  LIST_REQUESTED: 'Asked to confirm (double opt-in)',
  TAG_ADDED: 'Tag added',
  EVENT: 'Event received',
  SEGMENT_ENTERED: 'Segment entered',
  DATE: 'Date reached',
}

export interface AutomationFieldsProps {
  sequence: AutomationDraft
  set: (fields: Partial<AutomationDraft>) => void
}

/** Edits the trigger, and who enters and leaves. */
export function TriggerFields({ sequence, set }: AutomationFieldsProps) {
  const lists = useLists()
  const segments = useSegments()
  const { listId, tagName, eventName, segmentId } = sequence.triggerConfig as Record<string, string | undefined>
  return (
    <>
      <div className={classes.fields}>
        <Select
          label="Trigger"
          allowDeselect={false}
          data={Object.entries(TRIGGER_LABELS).map(([value, label]) => ({ value, label }))}
          value={sequence.trigger}
          onChange={(value) => value && set({ trigger: value as Trigger, triggerConfig: {} })}
        />
        {(sequence.trigger === 'LIST_ADDED' || sequence.trigger === 'LIST_REQUESTED') && (
          <SearchableSelect
            label="List"
            placeholder="Choose a list"
            data={lists ?? []}
            value={listId ?? null}
            onChange={(value) => set({ triggerConfig: value === null ? {} : { listId: value } })}
          />
        )}
        {sequence.trigger === 'TAG_ADDED' && (
          <TextInput
            label="Tag"
            value={tagName ?? ''}
            onChange={({ currentTarget: { value } }) => set({ triggerConfig: { tagName: value } })}
          />
        )}
        {sequence.trigger === 'EVENT' && (
          <EventNameInput
            label="Event"
            description="The event name that you send to the API."
            placeholder="trial.started"
            value={eventName ?? ''}
            onChange={(value) => set({ triggerConfig: { eventName: value } })}
          />
        )}
        {sequence.trigger === 'SEGMENT_ENTERED' && (
          <SearchableSelect
            label="Segment"
            description="Contacts already in the segment are not enrolled."
            placeholder="Choose a segment"
            data={segments ?? []}
            value={segmentId ?? null}
            onChange={(value) => set({ triggerConfig: value === null ? {} : { segmentId: value } })}
          />
        )}
        {sequence.trigger === 'DATE' && (
          <DateTriggerFields config={sequence.triggerConfig} set={(triggerConfig) => set({ triggerConfig })} />
        )}
      </div>
      <EntryFields sequence={sequence} set={set} />
      <LeaveFields sequence={sequence} set={set} />
    </>
  )
}
