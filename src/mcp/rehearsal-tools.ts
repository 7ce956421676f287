import { PERSONAL_SCOPE, type ToolDefinition } from './tool.ts'

const REHEARSAL = [
  ...['id', 'automationId', 'version', 'from', 'until', 'status', 'segmentId', 'total', 'done', 'problem', 'entered'],
  ...['refused', 'emails', 'days', 'steps', 'suppressed', 'branches', 'ends', 'current', 'createdAt', 'finishedAt'],
  ...['contactId', 'outcome', 'timeline', 'rendered'],
]

/** Tools that rehearse automations. A rehearsal for many contacts is stored. */
export const REHEARSAL_TOOLS: readonly ToolDefinition[] = [
  { name: 'rehearse_automation', operation: 'rehearseAutomation', fields: REHEARSAL, alsoNeeds: PERSONAL_SCOPE },
  { name: 'get_rehearsal', operation: 'getRehearsal', fields: REHEARSAL, alsoNeeds: PERSONAL_SCOPE },
  {
    name: 'list_rehearsed_contacts',
    operation: 'listRehearsedContacts',
    fields: ['contactId', 'email', 'outcome', 'emails', 'difference', 'timeline'],
    alsoNeeds: PERSONAL_SCOPE,
  },
]
