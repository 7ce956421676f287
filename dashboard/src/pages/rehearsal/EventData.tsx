import { KeyValueFields } from '../builder/fields/KeyValueFields.tsx'
import type { SupposedEvent } from './scenario.ts'

/** Edits the data of a supposed event. */
export const EventData = ({
  value,
  onChange,
}: {
  value: SupposedEvent['data']
  onChange: (data: SupposedEvent['data']) => void
}) => (
  <KeyValueFields
    label="Data"
    description="42 is sent as a number, true as a yes or no, and everything else as text."
    noun="property"
    value={value}
    onChange={onChange}
  />
)
