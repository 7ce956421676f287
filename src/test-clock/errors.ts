import { defineError } from '../platform/api-error.ts'

export const TEST_WORKSPACE_ONLY = defineError(
  'taken',
  'test_workspace_only',
  'Only a test workspace can skip time. In a live workspace, waits take as long as they are set',
)
export const NOT_WAITING = defineError(
  'taken',
  'not_waiting',
  'The contact is in the automation, but does not wait: the next step is due now, or the automation is paused',
)
