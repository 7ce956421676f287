import { defineError } from '../platform/api-error.ts'

export const EVENT_NAME_NOT_FOUND = defineError('not-found', 'event_name_not_found', 'There is no event of this name')
export const EVENT_NAME_IN_USE = defineError(
  'taken',
  'event_name_in_use',
  'The event is used by the automation "Welcome". Change that first',
)
