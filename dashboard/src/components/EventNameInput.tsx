import { Autocomplete, type AutocompleteProps } from '@mantine/core'
import { useEventNames } from '../api/queries.ts'

/** An input for the name of an event, which suggests names of stored events. */
export const EventNameInput = (props: Omit<AutocompleteProps, 'data'>) => (
  <Autocomplete limit={20} {...props} data={useEventNames()} />
)
