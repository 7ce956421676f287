import { number, object, string } from 'yup'
import { createAutomationSchema, mapSteps, type StepInput } from '../automations/index.ts'
import { publishSchema } from '../publishing/index.ts'
import { scheduleSchema } from '../campaigns/index.ts'
import { newId } from '../platform/ids.ts'
import { CAMPAIGN, TEMPLATE } from './read-tools.ts'
import type { ToolDefinition } from './tool.ts'

/** An agent creates automations that are not active. */
const newAutomation = createAutomationSchema.omit(['status'])

const reason = string().required().meta({ description: 'Why this should be done, for the member who decides.' })

const PROPOSAL = [
  ...[
    'id',
    'kind',
    'status',
    'automationId',
    'campaignId',
    'targetName',
    'revision',
    'reason',
    'createdAt',
    'expiresAt',
  ],
  ...['decidedAt', 'rehearsalId', 'content', 'isOutdated'],
]

const DECIDES =
  'A member approves or rejects the proposal in the dashboard, within seven days. Nothing changes until then. If the automation or campaign is changed in the meantime, propose it again.'

/** Tools that write drafts, which have no effect, and proposals. */
export const DRAFT_TOOLS: readonly ToolDefinition[] = [
  {
    name: 'create_automation',
    operation: 'createAutomation',
    description: 'Creates an automation as a draft. It may be incomplete, and enrolls no contacts.',
    fields: ['id', 'name', 'status', 'version', 'steps'],
    input: { schema: newAutomation, toBody: (input) => input },
  },
  {
    name: 'save_automation_draft',
    operation: 'saveDraft',
    description:
      'Saves unpublished changes to an automation, which a member sees in the builder. Replaces the whole draft. They have no effect. `revision` is that of the draft: 0 if there is none. `basedOn` is the revision of the automation.',
    fields: ['basedOn', 'isStale', 'savedAt'],
    input: {
      schema: object({
        basedOn: number().integer().required().meta({ description: 'The revision of the automation that you read.' }),
        ...newAutomation.fields,
      }),
      toBody: ({ basedOn, ...draft }) => ({ basedOn: basedOn as number, content: { sequence: toEditorDraft(draft) } }),
    },
  },
  {
    name: 'create_campaign',
    operation: 'createCampaign',
    description: 'Creates a campaign as a draft.',
    fields: CAMPAIGN,
  },
  { name: 'update_campaign', operation: 'updateCampaign', fields: CAMPAIGN },
  { name: 'create_template', operation: 'createTemplate', fields: TEMPLATE },
  {
    name: 'propose_publish_automation',
    operation: 'proposeAutomationChange',
    description: `Proposes to publish steps and settings of an automation. A step with a template needs its templateVersion. ${DECIDES}`,
    fields: PROPOSAL,
    alsoNeeds: 'automations:read',
    input: {
      schema: object({ reason, ...publishSchema.fields }),
      toBody: ({ reason: why, ...content }) => ({ reason: why as string, content }),
    },
  },
  {
    name: 'propose_activate_automation',
    operation: 'proposeAutomationChange',
    description: `Proposes to activate an automation as it is. ${DECIDES}`,
    fields: PROPOSAL,
    alsoNeeds: 'automations:read',
    input: {
      schema: object({ reason }),
      toBody: ({ reason: why }) => ({ reason: why as string, content: { status: 'ACTIVE' } }),
    },
  },
  {
    name: 'propose_send_campaign',
    operation: 'proposeCampaignSending',
    description: `Proposes to send a campaign: when it is approved, or at a time. ${DECIDES}`,
    fields: PROPOSAL,
    alsoNeeds: 'campaigns:read',
    input: {
      schema: object({ reason, ...scheduleSchema.fields }),
      toBody: ({ reason: why, ...content }) => ({ reason: why as string, content }),
    },
  },
  { name: 'list_proposals', operation: 'listProposals', fields: PROPOSAL },
  { name: 'get_proposal', operation: 'getProposal', fields: PROPOSAL },
]

/** Completes a draft as the builder of the dashboard stores it: each step has an ID, and each email a subject. */
function toEditorDraft({ steps = [], ...draft }: Record<string, unknown>) {
  const completed = mapSteps(steps as StepInput[], (step) => ({
    ...step,
    id: step.id ?? newId(),
    ...(step.type === 'EMAIL' && { subject: step.subject ?? '' }),
  }))
  return { triggerConfig: {}, onSendFailure: 'CONTINUE', entry: {}, exitOn: [], goal: null, ...draft, steps: completed }
}
