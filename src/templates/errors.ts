import { defineError } from '../platform/api-error.ts'

export const TEMPLATE_NOT_FOUND = defineError('not-found', 'template_not_found', 'Template not found')
export const INVALID_TEMPLATE = defineError(
  'invalid',
  'invalid_template',
  'steps[0].html is not a valid template: tag "if" not closed, line:1, col:1',
)
export const VARIABLE_MISSING = defineError(
  'invalid',
  'variable_missing',
  'data.total is missing. The template prints it without a default. Send it, or add a default to the template, such as {{ data.total | default: "" }}',
)
export const TEMPLATE_IN_USE = defineError(
  'taken',
  'template_in_use',
  'This layout or partial is used by the templates "Welcome". Change those first.',
)
export const PARTIAL_NAME_TAKEN = defineError('taken', 'template_name_taken', 'Another partial has this name')
