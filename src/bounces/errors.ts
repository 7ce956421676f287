import { defineError } from '../platform/api-error.ts'
import { PROVIDER_NAMES } from './providers/index.ts'

export const FEEDBACK_SOURCE_NOT_FOUND = defineError(
  'not-found',
  'feedback_source_not_found',
  `Feedback source not found. Use one of ${PROVIDER_NAMES.join(', ')}.`,
)
