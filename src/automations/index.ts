export { Automation, AutomationCounts, AutomationVersion, EmailContent } from './entities.ts'
export { AUTOMATION_NOT_ACTIVE } from './refusals.ts'
