import { defineSearchAttributeKey } from '@temporalio/common'

/** The attributes by which operators can search for enrollments in Temporal: IDs and states, no personal data. */
export const SEARCH_ATTRIBUTES = {
  workspace: defineSearchAttributeKey('WorkspaceId', 'KEYWORD'),
  automation: defineSearchAttributeKey('AutomationId', 'KEYWORD'),
  contact: defineSearchAttributeKey('ContactId', 'KEYWORD'),
  status: defineSearchAttributeKey('EnrollmentStatus', 'KEYWORD'),
  nextStep: defineSearchAttributeKey('NextStep', 'KEYWORD'),
  nextWakeAt: defineSearchAttributeKey('NextWakeAt', 'DATETIME'),
} as const
