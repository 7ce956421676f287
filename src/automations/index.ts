export { Automation, AutomationDraft, AutomationVersion, EmailContent, SegmentMember } from './entities.ts'
export { lockAutomationsShared } from './lock-queries.ts'
export {
  assertAutomation,
  type AutomationDetail,
  findAutomation,
  planVersion,
  waitForSendingMessages,
} from './automations.ts'
export { deleteContents, removeAutomation, skipRevisions } from './queries.ts'
export {
  type EntryRules,
  type EventOrCondition,
  type ExitRule,
  eventKeyOf,
  eventNamesOf,
  type LeaveRules,
} from './rules.ts'
export { mapTemplates, type TextPath, webhookTemplates } from './webhook-texts.ts'
export { listActiveAutomations, pauseForReputation } from './pause-for-reputation.ts'
export { sweepTriggers } from './trigger-sweep.ts'
export { currentContents, readVersions, versionSteps } from './version-queries.ts'
export {
  AUTOMATION_CONFIRMS_LIST,
  AUTOMATION_NEVER_ACTS,
  AUTOMATION_NOT_ACTIVE,
  AUTOMATION_NOT_FOUND,
  VERSION_NOT_FOUND,
} from './errors.ts'
export { prepareSteps } from './prepare-steps.ts'
export { asRehearsable, readRehearsable, type Rehearsable, stepIdIn, withChange } from './rehearsable.ts'
export { entry, exitOn, goal } from './rule-schemas.ts'
export { type Publication, publishAutomation } from './publish.ts'
export { writtenAutomationResponse } from './responses.ts'
export { createAutomationSchema, normalizeTrigger, publicationFields, steps, STEPS_LIMIT } from './schemas.ts'
export { flattenSteps } from './step-tree.ts'
export { mapSteps, type StepInput } from './steps/index.ts'
export { written } from './written.ts'
