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
    description="Numbers, true and false keep their type. Everything else is text."
    noun="property"
    value={value}
    onChange={onChange}
  />
)
