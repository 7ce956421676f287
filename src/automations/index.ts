export { Automation, AutomationCounts, AutomationDraft, AutomationVersion, EmailContent } from './entities.ts'
export { assertAutomation, findAutomation } from './automations.ts'
export { skipRevisions } from './queries.ts'
export { AUTOMATION_NOT_ACTIVE, AUTOMATION_NOT_FOUND } from './refusals.ts'
