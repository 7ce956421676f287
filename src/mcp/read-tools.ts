import { PERSONAL_SCOPE, type ToolDefinition } from './tool.ts'

const AUTOMATION = [
  ...['id', 'name', 'description', 'status', 'pauseReason', 'trigger', 'triggerConfig', 'onSendFailure'],
  ...['entry', 'exitOn', 'goal', 'version', 'createdAt', 'updatedAt', 'steps'],
]

const CAMPAIGN_SUMMARY = [
  ...['id', 'name', 'status', 'category', 'subject', 'audience', 'isAbTest', 'winnerAt', 'scheduledAt', 'localTime'],
  ...['startedAt', 'finishedAt', 'createdAt', 'updatedAt', 'stats', 'delivered', 'opened', 'clicked'],
]

export const CAMPAIGN = [
  ...CAMPAIGN_SUMMARY,
  ...['abTest', 'templateId', 'templateVersion', 'format', 'previewText', 'html', 'design', 'text'],
  ...['throttlePerHour', 'fallbackTimeZone', 'pauseReason'],
]

export const TEMPLATE = [
  ...['id', 'name', 'kind', 'version', 'createdAt', 'updatedAt', 'format', 'subject', 'previewText', 'html', 'text'],
  ...['design', 'layoutId', 'translations', 'variables'],
]

const ENROLLMENT = [
  ...['id', 'automationId', 'contactId', 'status', 'paused', 'version', 'enrolledAt', 'endedAt'],
  ...['nextStepId', 'nextAt'],
]

const CONTACT = ['id', 'email', 'externalId', 'firstName', 'metadata', 'suppressedBy', 'tags', 'listIds', 'createdAt']

const MESSAGE = [
  ...['id', 'status', 'automationId', 'enrollmentId', 'stepId', 'campaignId', 'contactId', 'to', 'subject', 'attempts'],
  ...['response', 'error', 'createdAt', 'sentAt', 'retryAt', 'deliveredAt', 'openedAt', 'clickedAt'],
]

const DECISION = [
  ...['id', 'kind', 'at', 'finishedAt', 'automationId', 'automationName', 'campaignId', 'enrollmentId', 'version'],
  ...['stepId', 'stepType', 'stepName', 'branch', 'rule', 'sentence'],
]

const EXPLANATION = ['outcome', 'sentence', 'facts', 'enrollmentId', 'messageId']

/** Tools that change nothing. */
export const READ_TOOLS: readonly ToolDefinition[] = [
  {
    name: 'get_workspace',
    operation: 'getWorkspace',
    fields: ['id', 'name', 'mode', 'timezone', 'clockAheadMinutes'],
  },
  {
    name: 'get_stats',
    operation: 'getStats',
    fields: ['active', 'paused', 'due', 'nextWakeAt', 'sending', 'deferred', 'unconfirmed'],
  },
  {
    name: 'list_automations',
    operation: 'listAutomations',
    fields: [
      ...['id', 'name', 'status', 'triggerType', 'triggerConfig', 'version', 'hasDraft', 'stepCount'],
      ...['enrolledCount', 'completedCount', 'createdAt', 'updatedAt'],
    ],
  },
  { name: 'get_automation', operation: 'getAutomation', fields: AUTOMATION },
  { name: 'get_automation_draft', operation: 'getDraft', fields: ['basedOn', 'isStale', 'savedAt', 'content'] },
  {
    name: 'get_automation_stats',
    operation: 'getAutomationStats',
    fields: [
      ...['automationId', 'status', 'enrolled', 'active', 'completed', 'stopped', 'exited', 'goalReached'],
      ...['cancelled', 'erased', 'paused', 'refused', 'steps', 'ending'],
    ],
  },
  {
    name: 'get_automation_report',
    operation: 'getAutomationReport',
    fields: ['automationId', 'total', 'reputation', 'steps', 'days'],
    personal: ['links'],
  },
  { name: 'list_enrollments', operation: 'listEnrollments', fields: ENROLLMENT },
  { name: 'list_enrollments_of_contact', operation: 'listEnrollmentsOfContact', fields: ENROLLMENT },
  { name: 'list_decisions_of_contact', operation: 'listDecisionsOfContact', fields: DECISION, personal: ['detail'] },
  { name: 'explain_automation', operation: 'explainAutomation', fields: EXPLANATION, alsoNeeds: PERSONAL_SCOPE },
  { name: 'explain_campaign', operation: 'explainCampaign', fields: EXPLANATION, alsoNeeds: PERSONAL_SCOPE },
  { name: 'list_campaigns', operation: 'listCampaigns', fields: CAMPAIGN_SUMMARY },
  { name: 'get_campaign', operation: 'getCampaign', fields: CAMPAIGN },
  {
    name: 'get_campaign_report',
    operation: 'getCampaignReport',
    fields: ['campaignId', 'status', 'stats', 'results', 'reputation', 'variants', 'days', 'createdAt'],
    personal: ['reasons', 'links'],
  },
  { name: 'count_audience', operation: 'countAudience', fields: ['contactCount', 'suppressed'] },
  {
    name: 'list_templates',
    operation: 'listTemplates',
    fields: ['id', 'name', 'kind', 'version', 'subject', 'useCounts', 'createdAt', 'updatedAt'],
  },
  { name: 'get_template', operation: 'getTemplate', fields: TEMPLATE },
  {
    name: 'list_segments',
    operation: 'listSegments',
    fields: ['id', 'name', 'condition', 'usedIn', 'createdAt', 'updatedAt'],
  },
  {
    name: 'get_segment',
    operation: 'getSegment',
    fields: ['id', 'name', 'condition', 'contactCount', 'usedIn', 'createdAt', 'updatedAt'],
  },
  {
    name: 'count_segment',
    operation: 'countSegment',
    // A condition that only one contact can meet would reveal their data.
    alsoNeeds: PERSONAL_SCOPE,
    fields: ['contactCount', 'subscription'],
  },
  {
    name: 'list_lists',
    operation: 'listLists',
    fields: ['id', 'name', 'description', 'public', 'doubleOptIn', 'contactCount', 'createdAt', 'updatedAt'],
  },
  { name: 'list_contacts', operation: 'listContacts', fields: ['id'], personal: CONTACT },
  { name: 'get_contact', operation: 'getContact', fields: ['id'], personal: CONTACT },
  {
    name: 'list_contact_events',
    operation: 'listContactEvents',
    fields: ['id', 'contactId', 'name', 'source', 'matchingAutomations', 'firedAt'],
    personal: ['data', 'refused'],
  },
  {
    name: 'list_event_names',
    operation: 'listEventNames',
    fields: ['name', 'count', 'lastSeenAt', 'similarTo', 'usedBy'],
    personal: ['properties'],
  },
  { name: 'list_messages', operation: 'listMessages', fields: ['id'], personal: MESSAGE },
  { name: 'get_message', operation: 'getMessage', fields: ['id'], personal: [...MESSAGE, 'html', 'text', 'clicks'] },
]
