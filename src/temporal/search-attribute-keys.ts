import { defineSearchAttributeKey } from '@temporalio/common'

/** What operators can search enrollments by in Temporal: ids, and where each is. Nothing personal. */
export const SEARCH_ATTRIBUTES = {
  workspace: defineSearchAttributeKey('WorkspaceId', 'KEYWORD'),
  automation: defineSearchAttributeKey('AutomationId', 'KEYWORD'),
  contact: defineSearchAttributeKey('ContactId', 'KEYWORD'),
  status: defineSearchAttributeKey('EnrollmentStatus', 'KEYWORD'),
  nextStep: defineSearchAttributeKey('NextStep', 'KEYWORD'),
  nextWakeAt: defineSearchAttributeKey('NextWakeAt', 'DATETIME'),
} as const
