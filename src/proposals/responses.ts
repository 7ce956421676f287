import { boolean, type InferType, number, object, string } from 'yup'
import { EXAMPLE_ID, freeObject, id, nullableText, timestamp } from '../http/index.ts'
import type { Proposal } from './entities.ts'
import { PROPOSAL_KINDS, PROPOSAL_STATUSES, statusOf } from './proposal.ts'

const nullableId = (of: string) =>
  string()
    .nullable()
    .defined()
    .meta({ description: `The ${of}, if the proposal is about one.`, json: { format: 'uuid' }, example: EXAMPLE_ID })

const fields = {
  id: id('proposal'),
  kind: string().oneOf(PROPOSAL_KINDS).required().meta({
    description:
      'PUBLISH_AUTOMATION: an approval publishes the content, like POST /automations/{id}/publish. SEND_CAMPAIGN: it sends or schedules the campaign, like POST /campaigns/{id}/schedule.',
    example: 'PUBLISH_AUTOMATION',
  }),
  status: string().oneOf(PROPOSAL_STATUSES).required().meta({
    description: 'PENDING until a member decides. EXPIRED after seven days without a decision.',
    example: 'PENDING',
  }),
  automationId: nullableId('automation'),
  campaignId: nullableId('campaign'),
  targetName: string().required().meta({
    description: 'The name of the automation or campaign when this was proposed.',
    example: 'Welcome',
  }),
  revision: number().integer().required().meta({
    description: 'The revision of the automation or campaign that the proposal is based on.',
    example: 7,
  }),
  reason: string().required().meta({
    description: 'The reason, as the key gave it.',
    example: 'The second email comes too early: most contacts open the first one on day 2.',
  }),
  rehearsalId: string()
    .nullable()
    .defined()
    .meta({
      description:
        'The rehearsal of the change for all contacts; null for a campaign, for a status in which no contact enters, if three were running, or after 7 days.',
      json: { format: 'uuid' },
      example: null,
    }),
  proposedBy: string().required().meta({ description: 'The name of the key.', example: 'Agent' }),
  createdAt: timestamp('When this was proposed.'),
  expiresAt: timestamp('When a pending proposal expires.'),
  decidedBy: nullableText('The member who decided; null if none did.', 'ada@example.com'),
  decidedAt: timestamp('When a member decided; null if none did.').nullable().defined(),
}

export const proposalSummaryResponse = object(fields)
  .required()
  .meta({ component: 'ProposalSummary', description: 'A proposal without its content, as an item of the list.' })

export const proposalResponse = object({
  ...fields,
  content: freeObject()
    .required()
    .meta({
      description: 'The body of the request that an approval runs.',
      example: { steps: [{ type: 'EMAIL', subject: 'Hello', text: 'Hi' }] },
    }),
  isOutdated: boolean().required().meta({
    description: 'Whether the automation or campaign was changed or deleted since. An approval fails then.',
    example: false,
  }),
})
  .required()
  .meta({ component: 'Proposal', description: 'A change that would send email, for a member to approve or reject.' })

/** The columns of a proposal without its content. */
type Summary = Pick<
  Proposal,
  | 'id'
  | 'kind'
  | 'status'
  | 'targetId'
  | 'targetName'
  | 'revision'
  | 'reason'
  | 'rehearsalId'
  | 'proposedBy'
  | 'createdAt'
  | 'expiresAt'
  | 'decidedBy'
  | 'decidedAt'
>

export const presentProposalSummary = (proposal: Summary): InferType<typeof proposalSummaryResponse> => ({
  id: proposal.id,
  kind: proposal.kind,
  status: statusOf(proposal),
  automationId: proposal.kind === 'PUBLISH_AUTOMATION' ? proposal.targetId : null,
  campaignId: proposal.kind === 'SEND_CAMPAIGN' ? proposal.targetId : null,
  targetName: proposal.targetName,
  revision: proposal.revision,
  reason: proposal.reason,
  rehearsalId: proposal.rehearsalId ?? null,
  proposedBy: proposal.proposedBy,
  createdAt: proposal.createdAt.toISOString(),
  expiresAt: proposal.expiresAt.toISOString(),
  decidedBy: proposal.decidedBy ?? null,
  decidedAt: proposal.decidedAt?.toISOString() ?? null,
})

export const presentProposal = (proposal: Proposal, isOutdated: boolean): InferType<typeof proposalResponse> => ({
  ...presentProposalSummary(proposal),
  content: proposal.content,
  isOutdated,
})
